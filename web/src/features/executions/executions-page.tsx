import { IconPlayerPlay } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { Empty } from "../../components/empty.tsx";
import { LiveDot } from "../../components/live-dot.tsx";
import { Page } from "../../components/page.tsx";
import { type Column, DataTable, rowLink } from "../../components/table/data-table.tsx";
import { type TableState, toFilterRequest } from "../../components/table/filters.ts";
import { TableToolbar } from "../../components/table/toolbar.tsx";
import { useLiveLists } from "../../services/events.ts";
import { useCan } from "../../services/session.tsx";
import { BulkMenu } from "./bulk-menu.tsx";
import { chooseColumn } from "./choose-column.tsx";
import { ChosenBar } from "./chosen-bar.tsx";
import { executionColumns } from "./columns.tsx";
import { executionFields } from "./fields.ts";
import { executionSource, type ListedExecution } from "./queries.ts";
import { StatusTabs } from "./status-tabs.tsx";
import { useChosen } from "./use-chosen.ts";

const route = getRouteApi("/frame/executions");

const columns: Column<ListedExecution>[] = [
  {
    id: "job",
    header: "Job",
    sort: "jobName",
    phone: "title",
    cell: ({ id, jobName }) => (
      <Link className={rowLink} to="/executions/$executionId" params={{ executionId: id }} dir="auto">
        {jobName}
      </Link>
    ),
  },
  ...executionColumns,
];

/** Every execution that the caller may see, as the address filters them; kept up to date. */
export function ExecutionsPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const mayControl = useCan()("JobService:JobExecution:control");
  useLiveLists();
  const set = (next: TableState) => void navigate({ search: next, replace: true });
  const request = toFilterRequest(state, "-startTime");
  const signature = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is made anew each time; its text says whether it changed
  const source = useMemo(() => executionSource(request), [signature]);
  const chosen = useChosen(source, JSON.stringify([state.q, state.f, state.any]));
  const filtered = state.q !== undefined || state.f !== undefined;

  return (
    <Page
      title="Executions"
      badge={<LiveDot />}
      actions={mayControl && <BulkMenu scope={{ filter: request, filtered }} />}
    >
      <div>
        <TableToolbar search="Search by job or error" fields={executionFields} state={state} onChange={set}>
          <StatusTabs state={state} onChange={set} />
        </TableToolbar>
        <DataTable
          label="Executions"
          source={source}
          columns={mayControl ? [chooseColumn(chosen), ...columns] : columns}
          rowKey={({ id }) => id}
          sort={state.sort ?? (state.q ? undefined : "-startTime")}
          onSort={(sort) => set({ ...state, sort })}
          empty={
            <Empty
              icon={<IconPlayerPlay size={34} stroke={1.4} />}
              title={filtered ? "No execution fits" : "Nothing has run yet"}
            >
              {filtered
                ? "Take a condition away, or look for something else."
                : "Open a job and start it: its execution shows up here."}
            </Empty>
          }
        />
        {mayControl && <ChosenBar {...chosen} />}
      </div>
    </Page>
  );
}
