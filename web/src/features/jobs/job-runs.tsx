import { IconPlayerPlay } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { DurationBar } from "../../components/duration-bar.tsx";
import { Empty } from "../../components/empty.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { type Column, DataTable, rowLink } from "../../components/table/data-table.tsx";
import { type TableState, toFilterRequest } from "../../components/table/filters.ts";
import { TableToolbar } from "../../components/table/toolbar.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { useLiveLists } from "../../services/events.ts";
import { executionFields } from "../executions/fields.ts";
import { executionSource, type ListedExecution } from "../executions/queries.ts";
import { shownStatus } from "../executions/shown-status.ts";
import { StatusTabs } from "../executions/status-tabs.tsx";
import { triggerText } from "../executions/trigger-text.ts";
import { summaryQuery } from "./queries.ts";

const route = getRouteApi("/frame/jobs/$jobId/runs");
const fields = executionFields.filter(({ name }) => !["jobName", "jobId"].includes(name));

/** The executions of a job, with how long each took beside the others. */
export function JobRuns() {
  const { jobId } = route.useParams();
  const state = route.useSearch();
  const navigate = route.useNavigate();
  useLiveLists();
  const { data: summary } = useQuery(summaryQuery(jobId));
  const set = (next: TableState) => void navigate({ search: next, replace: true });
  const request = toFilterRequest(state, "-startTime");
  request.filters = {
    ...request.filters,
    jobId: { operator: "and", constraints: [{ value: jobId, matchMode: "equals" }] },
  };
  const signature = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is made anew each time; its text says whether it changed
  const source = useMemo(() => executionSource(request), [signature]);
  const columns = useMemo(() => columnsOf(summary?.maxDurationMs ?? 0), [summary?.maxDurationMs]);
  return (
    <div>
      <TableToolbar search="Search by error" fields={fields} state={state} onChange={set}>
        <StatusTabs state={state} onChange={set} />
      </TableToolbar>
      <DataTable
        label="Executions of the job"
        source={source}
        columns={columns}
        rowKey={({ id }) => id}
        sort={state.sort ?? (state.q ? undefined : "-startTime")}
        onSort={(sort) => set({ ...state, sort })}
        empty={
          <Empty
            icon={<IconPlayerPlay size={34} stroke={1.4} />}
            title={state.f || state.q ? "No execution fits" : "It has not run yet"}
          >
            {state.f || state.q ? "Take a condition away." : "Start it, and its executions show up here."}
          </Empty>
        }
      />
    </div>
  );
}

function columnsOf(longest: number): Column<ListedExecution>[] {
  return [
    {
      id: "started",
      header: "Started",
      width: "170px",
      sort: "startTime",
      sortFirst: "desc",
      phone: "title",
      cell: ({ id, startTime }) => (
        <Link className={rowLink} to="/executions/$executionId" params={{ executionId: id }}>
          <TimeText at={startTime} />
        </Link>
      ),
    },
    {
      id: "status",
      header: "Status",
      width: "170px",
      sort: "status",
      phone: "aside",
      cell: (execution) => <StatusBadge status={shownStatus(execution)} />,
    },
    {
      id: "duration",
      header: "Duration",
      width: "30%",
      sort: "durationMs",
      sortFirst: "desc",
      phone: "meta",
      cell: (execution) => <DurationBar execution={execution} longest={longest} />,
    },
    {
      id: "trigger",
      header: "Triggered by",
      sort: "triggeredBy",
      phone: "meta",
      cell: (execution) => triggerText(execution),
    },
    { id: "by", header: "By", width: "120px", cell: ({ startedBy }) => startedBy },
    {
      id: "version",
      header: "Version",
      width: "90px",
      align: "right",
      sort: "jobVersion",
      sortFirst: "desc",
      cell: ({ jobVersion }) => jobVersion,
    },
  ];
}
