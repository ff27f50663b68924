import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table/data-table.tsx";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import type { ListedExecution } from "./queries.ts";
import { shownStatus } from "./shown-status.ts";
import { triggerText } from "./trigger-text.ts";

/** What a list of executions shows beside what they are of. */
export const executionColumns: Column<ListedExecution>[] = [
  {
    id: "status",
    header: "Status",
    width: "170px",
    sort: "status",
    phone: "aside",
    cell: (execution) => <StatusBadge status={shownStatus(execution)} />,
  },
  {
    id: "started",
    header: "Started",
    width: "150px",
    sort: "startTime",
    sortFirst: "desc",
    phone: "meta",
    cell: ({ startTime }) => <TimeText at={startTime} />,
  },
  {
    id: "duration",
    header: "Duration",
    width: "110px",
    align: "right",
    sort: "durationMs",
    sortFirst: "desc",
    phone: "meta",
    cell: ({ durationMs, startTime }) => <DurationText ms={durationMs} since={startTime} />,
  },
  {
    id: "trigger",
    header: "Triggered by",
    width: "190px",
    sort: "triggeredBy",
    phone: "meta",
    cell: (execution) => <span title={triggerText(execution)}>{triggerText(execution)}</span>,
  },
  { id: "by", header: "By", width: "120px", cell: ({ startedBy }) => startedBy },
];
