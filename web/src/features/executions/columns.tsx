import { StatusBadge } from "../../components/status-badge.tsx";
import type { Column } from "../../components/table/data-table.tsx";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import type { ListedExecution } from "./queries.ts";
import { shownStatus } from "./shown-status.ts";

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
    width: "160px",
    sort: "triggeredBy",
    phone: "meta",
    cell: ({ triggeredBy, triggerSource }) => (
      <span title={triggerSource ?? undefined}>
        {triggeredBy}
        {triggerSource && triggerSource !== triggeredBy ? ` · ${triggerSource}` : ""}
      </span>
    ),
  },
  { id: "by", header: "By", width: "120px", cell: ({ startedBy }) => startedBy },
];
