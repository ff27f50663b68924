import type { ExecutionStatus, StepStatus } from "@contract/execution.ts";
import {
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleX,
  IconClockPause,
  IconHandStop,
  IconLoader2,
  IconPlayerPauseFilled,
  IconPlayerSkipForwardFilled,
  IconPlayerStopFilled,
} from "@tabler/icons-react";
import type { IconType } from "./icon.ts";

export type Status = ExecutionStatus | StepStatus;
/** DECISION: an execution that is PAUSED for somebody to decide. */
export type ShownStatus = Status | "DECISION";

interface Look {
  label: string;
  /** Of the variables in status.css. */
  tone: "blue" | "amber" | "green" | "red" | "violet" | "gray";
  icon: IconType;
  moving?: boolean;
}

/** How each status looks: never by colour alone. */
export const looks: Record<ShownStatus, Look> = {
  RUNNING: { label: "Running", tone: "blue", icon: IconLoader2, moving: true },
  PAUSED: { label: "Paused", tone: "amber", icon: IconPlayerPauseFilled },
  DECISION: { label: "Needs a decision", tone: "violet", icon: IconHandStop },
  STOPPED: { label: "Stopped", tone: "gray", icon: IconPlayerStopFilled },
  COMPLETED: { label: "Completed", tone: "green", icon: IconCircleCheckFilled },
  FAILED: { label: "Failed", tone: "red", icon: IconCircleX },
  PENDING: { label: "Pending", tone: "gray", icon: IconCircleDashed },
  WAITING: { label: "Waiting", tone: "violet", icon: IconClockPause },
  SKIPPED: { label: "Skipped", tone: "gray", icon: IconPlayerSkipForwardFilled },
};

/** The colour of bars and dots of this status. */
export function solidOf(status: ShownStatus): string {
  return `var(--st-${looks[status].tone}-solid)`;
}
