import type { ExecutionStatus } from "../contract/execution.ts";

/** What can happen to an execution. */
export type Trigger =
  | "start"
  | "complete"
  | "fail"
  | "pause"
  | "await-decision"
  | "resume"
  | "approve"
  | "reject"
  | "stop"
  | "restart";

/** Every change of status there is. What is not in this table does not happen; docs/states.md shows it. */
export const transitions: readonly { from: ExecutionStatus | null; trigger: Trigger; to: ExecutionStatus }[] =
  [
    { from: null, trigger: "start", to: "RUNNING" },
    { from: "RUNNING", trigger: "complete", to: "COMPLETED" },
    { from: "RUNNING", trigger: "fail", to: "FAILED" },
    { from: "RUNNING", trigger: "pause", to: "PAUSED" },
    { from: "RUNNING", trigger: "await-decision", to: "PAUSED" },
    { from: "RUNNING", trigger: "stop", to: "STOPPED" },
    { from: "PAUSED", trigger: "resume", to: "RUNNING" },
    { from: "PAUSED", trigger: "approve", to: "RUNNING" },
    { from: "PAUSED", trigger: "reject", to: "STOPPED" },
    { from: "PAUSED", trigger: "stop", to: "STOPPED" },
    { from: "PAUSED", trigger: "fail", to: "FAILED" },
    { from: "FAILED", trigger: "restart", to: "RUNNING" },
    { from: "STOPPED", trigger: "restart", to: "RUNNING" },
  ];

/** The status that a trigger leads to, or undefined where it is not allowed. */
export function next(from: ExecutionStatus | null, trigger: Trigger): ExecutionStatus | undefined {
  return transitions.find((row) => row.from === from && row.trigger === trigger)?.to;
}

export function isEnded(status: ExecutionStatus): boolean {
  return status === "COMPLETED" || status === "FAILED" || status === "STOPPED";
}
