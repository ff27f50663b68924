import Type, { type Static } from "typebox";
import { parametersFaults } from "../../lib/json-schema/parameters.ts";
import { idFaults, serverReference } from "../mcp-tool/servers.ts";
import type { InputFault, ResourceReference } from "../plugin.ts";
import { isWrittenOut } from "../resources.ts";

const ToolNames = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: 512 });

const ServerConfig = Type.Object(
  {
    serverId: Type.String({ minLength: 1 }),
    includeTools: Type.Optional(ToolNames),
    excludeTools: Type.Optional(ToolNames),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 100, maximum: 600_000, default: 60_000 })),
  },
  { additionalProperties: false },
);

export const limitDefaults = {
  maxTurns: 10,
  maxToolCalls: 50,
  maxTokens: 100_000,
  maxDurationMs: 600_000,
  maxResultBytes: 32 * 1024,
  maxTools: 64,
} as const;

const AgentLimits = Type.Object(
  {
    maxTurns: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: limitDefaults.maxTurns,
        description: "Answers of the model.",
      }),
    ),
    maxToolCalls: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 500, default: limitDefaults.maxToolCalls, description: "In all." }),
    ),
    maxTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 10_000_000,
        default: limitDefaults.maxTokens,
        description: "Of all turns together, read and written.",
      }),
    ),
    maxOutputTokens: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Of one answer; the endpoint's own limit when left out.",
      }),
    ),
    maxDurationMs: Type.Optional(
      Type.Integer({
        minimum: 100,
        maximum: 3_600_000,
        default: limitDefaults.maxDurationMs,
        description: "Of one try of the step.",
      }),
    ),
    maxResultBytes: Type.Optional(
      Type.Integer({
        minimum: 256,
        maximum: 256 * 1024,
        default: limitDefaults.maxResultBytes,
        description: "What the model sees of one result; the rest is cut.",
      }),
    ),
    maxTools: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 256,
        default: limitDefaults.maxTools,
        description: "That the model is offered.",
      }),
    ),
  },
  { additionalProperties: false, title: "Limits", description: "What is beyond one of them fails the step." },
);

export const AgentInput = Type.Object(
  {
    model: Type.String({
      minLength: 1,
      maxLength: 200,
      title: "Model",
      description: "As the endpoint calls it.",
    }),
    prompt: Type.String({
      minLength: 1,
      maxLength: 500_000,
      title: "Task",
      description: "What the agent is to do.",
    }),
    system: Type.Optional(
      Type.String({ maxLength: 100_000, title: "Instructions", description: "How it is to go about it." }),
    ),
    toolsConfig: Type.Optional(
      Type.Object(
        {
          mcpServers: Type.Array(Type.Union([Type.String({ minLength: 1 }), ServerConfig]), { maxItems: 20 }),
        },
        {
          additionalProperties: false,
          title: "Tools",
          description:
            "mcpServers: MCP servers of the registry by id, as text or as {serverId, includeTools, excludeTools, timeoutMs}.",
        },
      ),
    ),
    outputSchema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        title: "Shape of the answer",
        description: "JSON Schema of an object. The agent's last answer has to be one that fits.",
      }),
    ),
    temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, title: "Temperature" })),
    limits: Type.Optional(AgentLimits),
  },
  { additionalProperties: false },
);
export type AgentInput = Static<typeof AgentInput>;
export type ServerConfig = Static<typeof ServerConfig>;

const Usage = Type.Object(
  {
    inputTokens: Type.Integer(),
    outputTokens: Type.Integer(),
    estimated: Type.Boolean({
      description: "The endpoint did not say: four characters are taken as a token.",
    }),
  },
  { description: "Tokens read and written." },
);

export const AgentOutput = Type.Object({
  text: Type.String({ description: "The agent's last answer." }),
  object: Type.Unknown({ description: "The same as data, where outputSchema is given; else null." }),
  turns: Type.Array(
    Type.Object({
      text: Type.String(),
      finishReason: Type.String(),
      usage: Usage,
      durationMs: Type.Integer(),
      toolCalls: Type.Array(
        Type.Object({
          server: Type.Union([Type.String(), Type.Null()]),
          tool: Type.String(),
          arguments: Type.Unknown(),
          result: Type.String(),
          isError: Type.Boolean(),
          durationMs: Type.Integer(),
        }),
      ),
    }),
    { description: "Each answer of the model, and the calls that it asked for, in order." },
  ),
  usage: Type.Object(Usage.properties, { description: "Tokens read and written, of all turns together." }),
  refusedTools: Type.Array(Type.String(), {
    description:
      "Tools that were left out, since they are not as they were at the last discovery of their server.",
  }),
});
export type AgentOutput = Static<typeof AgentOutput>;

/** The servers of a step in one spelling. */
export function serverConfigs({ toolsConfig }: AgentInput): ServerConfig[] {
  return (toolsConfig?.mcpServers ?? []).map((each) =>
    typeof each === "string" ? { serverId: each } : each,
  );
}

/** The ids of a step's servers, with their places; without an id where an expression is to make the list. */
function namedServers({ toolsConfig }: Record<string, unknown>): { serverId: unknown; path: string }[] {
  if (typeof toolsConfig !== "object" || toolsConfig === null) {
    return toolsConfig === undefined ? [] : [{ serverId: undefined, path: "/toolsConfig" }];
  }
  const { mcpServers } = toolsConfig as { mcpServers: unknown };
  if (!Array.isArray(mcpServers)) return [{ serverId: undefined, path: "/toolsConfig/mcpServers" }];
  return mcpServers.map((each: unknown, i) => {
    const path = `/toolsConfig/mcpServers/${i}`;
    if (typeof each !== "object" || each === null) return { serverId: each, path };
    return { serverId: (each as Partial<ServerConfig>).serverId, path: `${path}/serverId` };
  });
}

export function serverReferences(input: Record<string, unknown>): ResourceReference[] {
  return namedServers(input).map(({ serverId, path }) => serverReference(serverId, path));
}

/** What the schema can't say. */
export function inputFaults(input: Record<string, unknown>): InputFault[] {
  const { outputSchema } = input as AgentInput;
  const faults: InputFault[] = [];
  if (outputSchema !== undefined) {
    for (const { path, message } of parametersFaults(outputSchema)) {
      faults.push({ path: `/outputSchema${path}`, message });
    }
  }
  const seen = new Set<string>();
  for (const { serverId, path } of namedServers(input)) {
    faults.push(...idFaults(serverId, path));
    if (!isWrittenOut(serverId)) continue;
    const id = serverId.toLowerCase();
    if (seen.has(id)) faults.push({ path, message: "names a server for the second time." });
    seen.add(id);
  }
  return faults;
}
