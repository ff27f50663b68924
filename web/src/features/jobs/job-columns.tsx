import type { Job } from "@contract/job.ts";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { StatusBadge } from "../../components/status-badge.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { summaryQuery } from "./queries.ts";
import { RecentRuns } from "./recent-runs.tsx";

/** What a list of jobs shows. */
export const jobColumns: Column<Job>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    phone: "title",
    cell: ({ id, name, description }) => (
      <>
        <Link className={rowLink} to="/jobs/$jobId" params={{ jobId: id }} dir="auto">
          {name}
        </Link>
        {description && (
          <Text component="span" size="sm" c="dimmed" ml="sm" visibleFrom="sm" dir="auto">
            {description}
          </Text>
        )}
      </>
    ),
  },
  {
    id: "category",
    header: "Category",
    width: "120px",
    sort: "category",
    phone: "meta",
    cell: ({ category }) => category,
  },
  {
    id: "tags",
    header: "Tags",
    width: "150px",
    cell: ({ tags }) => (
      <Text component="span" size="sm" c="dimmed" title={tags.join(", ")}>
        {tags.join(", ")}
      </Text>
    ),
  },
];

/** How the executions of the jobs have gone, for those who may know. */
export const runColumns: Column<Job>[] = [
  { id: "recent", header: "Latest", width: "110px", cell: ({ id }) => <Recent jobId={id} /> },
  {
    id: "last",
    header: "Last status",
    width: "140px",
    phone: "aside",
    cell: ({ id }) => <LastStatus jobId={id} />,
  },
  {
    id: "when",
    header: "Last started",
    width: "120px",
    phone: "meta",
    cell: ({ id }) => <LastStart jobId={id} />,
  },
];

function Recent({ jobId }: { jobId: string }) {
  const { data } = useQuery(summaryQuery(jobId));
  return <RecentRuns runs={data?.recent ?? []} />;
}

function LastStatus({ jobId }: { jobId: string }) {
  const { data } = useQuery(summaryQuery(jobId));
  return data?.lastStatus ? <StatusBadge status={data.lastStatus} /> : null;
}

function LastStart({ jobId }: { jobId: string }) {
  const { data } = useQuery(summaryQuery(jobId));
  return data?.lastExecutedAt ? (
    <TimeText at={data.lastExecutedAt} ago />
  ) : (
    <Text component="span" inherit c="dimmed">
      {data ? "never" : ""}
    </Text>
  );
}
