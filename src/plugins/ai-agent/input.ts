import Type, { type Static } from "typebox";
import { parametersFaults } from "../../lib/json-schema/parameters.ts";
import type { InputFault } from "../plugin.ts";

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

/** What the schema can't say. */
export function inputFaults(input: Record<string, unknown>): InputFault[] {
  const { outputSchema } = input as AgentInput;
  const faults: InputFault[] = [];
  if (outputSchema !== undefined) {
    faults.push(
      ...parametersFaults(outputSchema).map(({ path, message }) => ({
        path: `/outputSchema${path}`,
        message,
      })),
    );
  }
  const ids = serverConfigs(input as AgentInput).map(({ serverId }) => serverId.toLowerCase());
  const twice = ids.findIndex((id, i) => ids.indexOf(id) !== i);
  if (twice >= 0)
    faults.push({ path: `/toolsConfig/mcpServers/${twice}`, message: "names a server for the second time." });
  return faults;
}
