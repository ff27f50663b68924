import { looks } from "../../components/status.ts";
import type { FilterField } from "../../components/table/fields.ts";

const statuses = ["RUNNING", "PAUSED", "COMPLETED", "FAILED", "STOPPED"] as const;

/** What executions can be filtered by. */
export const executionFields: FilterField[] = [
  {
    name: "status",
    label: "Status",
    kind: "choice",
    options: statuses.map((value) => ({ value, label: looks[value].label })),
  },
  { name: "jobName", label: "Job", kind: "text" },
  { name: "startTime", label: "Started", kind: "time" },
  { name: "endTime", label: "Ended", kind: "time" },
  { name: "durationMs", label: "Duration", kind: "duration" },
  { name: "triggeredBy", label: "Triggered by", kind: "text" },
  { name: "triggerSource", label: "Source", kind: "text" },
  { name: "startedBy", label: "Started by", kind: "text" },
  { name: "error", label: "Error", kind: "text" },
  { name: "errorCode", label: "Error code", kind: "text" },
  { name: "jobVersion", label: "Version", kind: "number" },
  { name: "jobId", label: "Job id", kind: "id" },
];
