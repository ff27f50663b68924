import type { Job } from "@contract/job.ts";
import { IconRoute } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { Empty } from "../../components/empty.tsx";
import { Page } from "../../components/page.tsx";
import { type Column, DataTable, rowLink } from "../../components/table/data-table.tsx";
import { type TableState, toFilterRequest } from "../../components/table/filters.ts";
import { TableToolbar } from "../../components/table/toolbar.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { jobFields } from "./fields.ts";
import { jobSource } from "./queries.ts";

const route = getRouteApi("/frame/jobs");

const columns: Column<Job>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/jobs/$jobId" params={{ jobId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "updated",
    header: "Changed",
    width: "150px",
    sort: "updatedAt",
    sortFirst: "desc",
    phone: "aside",
    cell: ({ updatedAt }) => <TimeText at={updatedAt} />,
  },
];

/** The jobs that the caller may see, as the address filters them. */
export function JobsPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const set = (next: TableState) => void navigate({ search: next, replace: true });
  const request = toFilterRequest(state, "name");
  const signature = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is made anew each time; its text says whether it changed
  const source = useMemo(() => jobSource(request), [signature]);
  return (
    <Page title="Jobs">
      <div>
        <TableToolbar search="Search jobs" fields={jobFields} state={state} onChange={set} />
        <DataTable
          label="Jobs"
          source={source}
          columns={columns}
          rowKey={({ id }) => id}
          sort={state.sort ?? (state.q ? undefined : "name")}
          onSort={(sort) => set({ ...state, sort })}
          empty={<Empty icon={<IconRoute size={34} stroke={1.4} />} title="No jobs yet" />}
        />
      </div>
    </Page>
  );
}
