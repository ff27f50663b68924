import type { Job } from "@contract/job.ts";
import { Button, Group, Select } from "@mantine/core";
import { IconPlus, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { Empty } from "../../components/empty.tsx";
import { LiveDot } from "../../components/live-dot.tsx";
import { Page } from "../../components/page.tsx";
import { DataTable } from "../../components/table/data-table.tsx";
import { type TableState, toFilterRequest } from "../../components/table/filters.ts";
import { TableToolbar } from "../../components/table/toolbar.tsx";
import { useLiveLists } from "../../services/events.ts";
import { useCan } from "../../services/session.tsx";
import { jobFields } from "./fields.ts";
import { ImportButton, ImportDrop } from "./import-jobs.tsx";
import { jobColumns, runColumns } from "./job-columns.tsx";
import { collectionsQuery, jobSource } from "./queries.ts";

const route = getRouteApi("/frame/jobs");

/** The jobs that the caller may see, as the address filters them; files that are dropped here are imported. */
export function JobsPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const can = useCan();
  const mayReadRuns = can("JobService:JobExecution:read");
  const mayWrite = can("JobService:Job:upsert");
  useLiveLists(mayReadRuns);
  const set = (next: TableState) => void navigate({ search: next, replace: true });
  const request = toFilterRequest(state, "name");
  const signature = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the request is made anew each time; its text says whether it changed
  const source = useMemo(() => jobSource(request), [signature]);
  const columns = useMemo(() => (mayReadRuns ? [...jobColumns, ...runColumns] : jobColumns), [mayReadRuns]);
  const filtered = state.q !== undefined || state.f !== undefined;

  return (
    <Page
      title="Jobs"
      badge={<LiveDot />}
      actions={
        mayWrite && (
          <>
            <ImportButton />
            <NewJobButton />
          </>
        )
      }
    >
      <ImportDrop enabled={mayWrite}>
        <TableToolbar
          search="Search jobs by name or description"
          fields={jobFields}
          state={state}
          onChange={set}
        >
          {can("JobService:Collection:read") && <CollectionSelect state={state} onChange={set} />}
        </TableToolbar>
        <DataTable
          label="Jobs"
          source={source}
          columns={columns}
          rowKey={(job: Job) => job.id}
          sort={state.sort ?? (state.q ? undefined : "name")}
          onSort={(sort) => set({ ...state, sort })}
          empty={
            <Empty
              icon={<IconRoute size={34} stroke={1.4} />}
              title={filtered ? "No job fits" : "No jobs yet"}
              action={
                !filtered &&
                mayWrite && (
                  <Group gap="sm">
                    <NewJobButton />
                    <ImportButton />
                  </Group>
                )
              }
            >
              {filtered
                ? "Take a condition away, or look for something else."
                : mayWrite
                  ? "Write the first one, or drop an exported one here: the folder examples/ has some to begin with."
                  : "As soon as somebody makes one that you may see, it shows up here."}
            </Empty>
          }
        />
      </ImportDrop>
    </Page>
  );
}

function NewJobButton() {
  return (
    <Button leftSection={<IconPlus size={16} />} renderRoot={(props) => <Link to="/jobs/new" {...props} />}>
      New job
    </Button>
  );
}

/** The jobs of one collection; shows nothing while there is none. */
function CollectionSelect({ state, onChange }: { state: TableState; onChange: (state: TableState) => void }) {
  const { data: collections = [] } = useQuery(collectionsQuery);
  if (collections.length === 0) return null;
  const [, , chosen] =
    (state.f ?? []).find(([field, mode]) => field === "collectionId" && mode === "equals") ?? [];
  return (
    <Select
      aria-label="Collection"
      placeholder="All collections"
      clearable
      w={190}
      data={collections.map(({ id, name }) => ({ value: id, label: name }))}
      value={typeof chosen === "string" ? chosen : null}
      onChange={(id) => {
        const others = (state.f ?? []).filter(([field]) => field !== "collectionId");
        const f =
          id === null ? others : [...others, ["collectionId", "equals", id] as [string, "equals", string]];
        onChange({ ...state, f: f.length > 0 ? f : undefined });
      }}
    />
  );
}
