import Type from "typebox";
import type { Dialer } from "../../lib/dialer.ts";
import { StepError } from "../../lib/step-error.ts";
import { defineStepType } from "../plugin.ts";
import { excerptOf, sizeOf, textOf } from "./result.ts";
import { type FindServer, idFaults, serverAsker, serverReference } from "./servers.ts";
import { openSession, requireServer } from "./session.ts";
import { argumentFaults } from "./tool-arguments.ts";

export interface McpDeps {
  dialer: Dialer;
  findServer: FindServer;
  version: string;
}

const errorChars = 2_000;

export function mcpTool({ dialer, findServer, version }: McpDeps) {
  return defineStepType({
    name: "mcp-tool",
    title: "Call an MCP tool",
    description: "Calls one tool of an MCP server of the registry.",
    input: Type.Object(
      {
        serverId: Type.Optional(
          Type.String({ minLength: 1, title: "Server id", description: "Of a server in the registry." }),
        ),
        server: Type.Optional(
          Type.String({
            minLength: 1,
            title: "Server name",
            description: "Instead of its id, whatever its case.",
          }),
        ),
        tool: Type.String({ minLength: 1, maxLength: 128, title: "Tool" }),
        arguments: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            title: "Arguments",
            description: "As the tool's inputSchema says.",
          }),
        ),
        timeoutMs: Type.Optional(
          Type.Integer({
            minimum: 100,
            maximum: 600_000,
            default: 60_000,
            title: "Time limit (ms)",
            description: "Without a sign of life. A server that reports progress may take ten times as long.",
          }),
        ),
        maxResultBytes: Type.Optional(
          Type.Integer({
            minimum: 1024,
            maximum: 4 * 1024 * 1024,
            default: 256 * 1024,
            title: "Largest result (bytes)",
            description: "A larger one fails the step.",
          }),
        ),
      },
      { additionalProperties: false, description: "One of serverId and server." },
    ),
    output: Type.Object({
      text: Type.String({ description: "The texts of the result, one after another." }),
      structuredContent: Type.Unknown({
        description: "The result as data, where the tool gives it; else null.",
      }),
      content: Type.Array(Type.Unknown(), {
        description: "The parts of the result as the protocol has them.",
      }),
      server: Type.Object({ id: Type.String(), name: Type.String() }),
      durationMs: Type.Integer({ description: "Of the call itself." }),
    }),
    check: (input) => [...whichFaults(input), ...idFaults(input.serverId, "/serverId")],
    references: ({ serverId, server }) =>
      serverId === undefined
        ? [serverReference(server, "/server")]
        : [serverReference(serverId, "/serverId")],
    async run({ input, scope, idempotencyKey, signal, log, tell, mask }) {
      const { tool, timeoutMs = 60_000, maxResultBytes = 256 * 1024, arguments: args = {} } = input;
      const [fault] = whichFaults(input);
      if (fault) throw new StepError("INVALID_INPUT", `The input ${fault.message}`, { retryable: false });
      const which = input.serverId ? { id: input.serverId } : { name: input.server! };
      const asker = serverAsker({ scope, idempotencyKey }, signal);
      const server = await requireServer(findServer, which, asker);
      const session = await openSession(server, { dialer, version, signal, timeoutMs });
      try {
        const [wrong] = argumentFaults(session.require(tool), args);
        if (wrong !== undefined) throw wrongArguments(server.name, tool, wrong);
        const since = performance.now();
        const onProgress = (said: string) => tell("info", `${tool} of ${server.name} is at ${said}`);
        const result = await session.call(tool, args, { signal, timeoutMs, onProgress });
        const durationMs = Math.round(performance.now() - since);
        log("info", `${tool} of ${server.name} answered after ${durationMs} ms.`);
        const bytes = sizeOf(result);
        if (bytes > maxResultBytes) throw tooLarge(tool, bytes, maxResultBytes);
        const text = textOf(result);
        if (result.isError) throw toolError(server.name, tool, mask(text));
        const { content, structuredContent = null } = result;
        return { text, structuredContent, content, server: { id: server.id, name: server.name }, durationMs };
      } finally {
        await session.close();
      }
    },
  });
}

function whichFaults({ serverId, server }: { serverId?: unknown; server?: unknown }) {
  if ((serverId === undefined) !== (server === undefined)) return [];
  return [
    { path: "", message: "must name the MCP server: by serverId, or by server (its name), one of the two." },
  ];
}

function toolError(server: string, tool: string, text: string): StepError {
  const said = excerptOf(text, errorChars) || "it gave no reason.";
  return new StepError("MCP_TOOL_ERROR", `${tool} of ${server} failed: ${said}`);
}

function wrongArguments(server: string, tool: string, fault: string): StepError {
  const message = `The arguments do not fit the inputSchema of ${tool} of ${server}: ${fault} Nothing was called.`;
  return new StepError("INVALID_INPUT", message, { retryable: false });
}

function tooLarge(tool: string, bytes: number, limit: number): StepError {
  const message = `The result of ${tool} has ${bytes} bytes, and maxResultBytes is ${limit}. Ask the tool for less, or raise the limit.`;
  return new StepError("MCP_RESULT_TOO_LARGE", message, { retryable: false });
}
