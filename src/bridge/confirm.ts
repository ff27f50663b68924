import {
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { ToolFault } from "./faults.ts";
import { allowedActions, longestName, progressOf, readRun } from "./run.ts";
import { clean } from "./text.ts";
import type { ToolCall } from "./tool.ts";

/** Undefined: it is confirmed, go on. Else what the client is to ask its user. */
export type ConfirmStop = (
  call: ToolCall,
  stop: { executionId: string; confirmed: boolean },
) => Promise<InputRequiredResult | undefined>;

interface Asked {
  executionId: string;
}

const answerWithinSeconds = 300;

/** Signs what the client holds while its user is asked; of one user, and for one method. */
export function confirmationCodec(key: Uint8Array): RequestStateCodec<Asked> {
  return createRequestStateCodec<Asked>({
    key,
    ttlSeconds: answerWithinSeconds,
    bind: ({ mcpReq, http }) => `${mcpReq.method}\0${http?.authInfo?.extra?.userId}`,
  });
}

/**
 * Asks before a run is stopped. Where the client can ask its user, it must, whatever the model passed: a model that could
 * confirm for them would make the question worthless. Where it can't, the argument is all there is.
 */
export function stopConfirmation(codec: RequestStateCodec<Asked>): ConfirmStop {
  return async (call, { executionId, confirmed }) => {
    if (!canAsk(call.ctx)) {
      if (confirmed) return undefined;
      throw new ToolFault(
        "CONFIRMATION_REQUIRED",
        `${await questionOf(call, executionId)} Ask the user; once they agree, call again with confirm: true.`,
      );
    }
    const answer = inputResponse(call.ctx.mcpReq.inputResponses, "confirm");
    if (answer.kind === "missing") return ask(codec, call, executionId);
    const asked = call.ctx.mcpReq.requestState<Asked>();
    if (typeof asked !== "object" || asked.executionId !== executionId) return ask(codec, call, executionId);
    if (answer.kind === "elicit" && answer.action === "accept" && answer.content?.confirm === true) {
      return undefined;
    }
    throw new ToolFault("CANCELLED_BY_USER", "The user did not agree. The run goes on as it was.");
  };
}

export const noConfirmation: ConfirmStop = async () => undefined;

async function ask(
  codec: RequestStateCodec<Asked>,
  call: ToolCall,
  executionId: string,
): Promise<InputRequiredResult> {
  const message = await questionOf(call, executionId);
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: { confirm: { type: "boolean", title: "Stop the run for good" } },
          required: ["confirm"],
        },
      }),
    },
    requestState: await codec.mint({ executionId }, call.ctx),
  });
}

/** @throws ToolFault for a run that is not there or has ended: nobody is asked about that */
async function questionOf({ caller, signal }: ToolCall, executionId: string): Promise<string> {
  const run = await readRun(caller, executionId, signal);
  if (!["RUNNING", "PAUSED"].includes(run.status)) {
    const allowed = allowedActions(run, caller).join(", ");
    throw new ToolFault(
      "INVALID_STATE",
      `The run is ${run.status}: it can't be stopped. Possible is ${allowed}.`,
    );
  }
  const { stepsDone, stepsTotal } = progressOf(run.stepExecutions);
  const name = clean(run.jobName, longestName);
  return `Stop the run of '${name}' that began at ${run.startTime} (${run.status}, ${stepsDone} of ${stepsTotal} steps done)? That can't be taken back.`;
}

/** Only requests of the modern era say what the client can; a legacy client is not known after its initialize. */
function canAsk({ mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, { elicitation?: unknown }> | undefined;
  return envelope?.["io.modelcontextprotocol/clientCapabilities"]?.elicitation !== undefined;
}
