import type { ExecutionStatus } from "@contract/execution.ts";
import type { ShownStatus } from "../../components/status.ts";

/** PAUSED by hand and PAUSED for a decision are two things to a person. */
export function shownStatus(execution: {
  status: ExecutionStatus;
  heldFor?: string | null;
  waitingFor?: unknown;
}): ShownStatus {
  const decision = execution.heldFor === "decision" || Boolean(execution.waitingFor);
  return execution.status === "PAUSED" && decision ? "DECISION" : execution.status;
}
