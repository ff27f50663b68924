import { secretsIn } from "../../lib/connection-secrets.ts";
import { createMasker, type Masker } from "../../lib/masker.ts";
import { StepError } from "../../lib/step-error.ts";
import type { McpDeps } from "../mcp-tool/mcp-tool.ts";
import { serverAsker } from "../mcp-tool/servers.ts";
import { defineStepType } from "../plugin.ts";
import {
  AgentInput,
  AgentOutput,
  inputFaults,
  limitDefaults,
  serverConfigs,
  serverReferences,
} from "./input.ts";
import { runAgent } from "./loop.ts";
import { openMemory } from "./memory.ts";
import { shorten } from "./shorten.ts";
import { openToolbox } from "./tools.ts";

export function aiAgent(deps: McpDeps) {
  return defineStepType({
    name: "ai-agent",
    title: "AI agent",
    description:
      "Gives a task to a language model behind an OpenAI-compatible API, with tools of the MCP servers it is allowed.",
    input: AgentInput,
    output: AgentOutput,
    verbatim: ["outputSchema"],
    connectionTypes: ["rest-api"],
    connectionRequired: true,
    check: inputFaults,
    references: serverReferences,
    async run({ input, scope, idempotencyKey, connection, signal: stop, tell: log, mask, checkpoints }) {
      if (connection?.connectionType !== "rest-api") throw noConnection();
      const { maxTools, maxResultBytes, maxDurationMs } = { ...limitDefaults, ...input.limits };
      const limit = AbortSignal.timeout(maxDurationMs);
      const signal = AbortSignal.any([stop, limit]);
      try {
        // The library is large, and most of those who start Pawl have no agent.
        const { askerOf } = await import("./model.ts");
        const ask = askerOf(connection, input.model, deps.dialer);
        const memory = await openMemory(checkpoints);
        const asker = serverAsker({ scope, idempotencyKey }, signal);
        const toolbox = await openToolbox(deps, serverConfigs(input), { maxTools, asker });
        try {
          for (const tool of toolbox.refused) {
            log("warn", `${tool} is left out: it is not as it was at the last discovery.`);
          }
          const masker = maskerOf([...toolbox.secrets, ...secretsIn(connection)], mask);
          const { tools, refused } = toolbox;
          return shorten(
            await runAgent({ input, ask, tools, refused, memory, masker, maxResultBytes, signal, log }),
          );
        } finally {
          await toolbox.close();
        }
      } catch (error) {
        if (!limit.aborted || stop.aborted) throw error;
        const message = `The agent has not come to an end within ${maxDurationMs} ms (limits.maxDurationMs). The step's log says what it did.`;
        throw new StepError("AGENT_LIMIT", message, { retryable: false });
      }
    },
  });
}

/** Of this step's own secrets in all that is kept and called; of the rest of the execution's in what is cut before it is masked. */
function maskerOf(secrets: readonly unknown[], mask: (text: string) => string): Masker {
  const own = createMasker(secrets);
  return { ...own, text: (text) => mask(own.text(text)) };
}

function noConnection(): StepError {
  return new StepError(
    "INVALID_INPUT",
    "An agent needs a connection of the type rest-api, which leads to an OpenAI-compatible API.",
    { retryable: false },
  );
}
