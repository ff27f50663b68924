import { StepError } from "../../lib/step-error.ts";
import type { InputFault } from "../plugin.ts";
import type { SandboxOutcome } from "./protocol.ts";

/** The result, or the failure as a sentence about `what` ran: "The script", "The expression". */
export function resultOf(outcome: SandboxOutcome, what: string, failedCode: string): unknown {
  if ("json" in outcome) return JSON.parse(outcome.json);
  const { code, message } = outcome;
  if (code === "FAILED") {
    throw new StepError(failedCode, `${what} failed: ${message}.`, { retryable: false });
  }
  throw new StepError(code, `${what} was stopped: ${message}.`, { retryable: false });
}

/** What a check at save found wrong with the code in `path`. */
export function checkFaults(outcome: SandboxOutcome, path: string): InputFault[] {
  return "json" in outcome ? [] : [{ path, message: `can't be parsed: ${outcome.message}.` }];
}
