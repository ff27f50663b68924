import { Anchor, Badge, Button, Group } from "@mantine/core";
import { IconPlayerPlayFilled } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, Outlet, useLocation } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { type LinkTab, LinkTabs } from "../../components/link-tabs.tsx";
import { Page } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { JobMenu } from "./job-menu.tsx";
import { jobQuery } from "./queries.ts";

const route = getRouteApi("/frame/jobs/$jobId");

/** What every page of a job has: its name, what can be done with it, and the ways to its other pages. */
export function JobLayout() {
  const { jobId } = route.useParams();
  const { data: job, error, refetch } = useQuery(jobQuery(jobId));
  const can = useCan();
  // Its form has a button of its own.
  const starting = useLocation().pathname.endsWith("/start");
  useVisited(job && { kind: "job", id: job.id, name: job.name });
  if (error && !job) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!job) return <PageSkeleton />;

  const params = { jobId };
  const tabs: LinkTab[] = [
    { label: "Overview", to: "/jobs/$jobId", params, exact: true },
    ...(can("JobService:JobExecution:read")
      ? [{ label: "Executions", to: "/jobs/$jobId/runs" as const, params }]
      : []),
    { label: "Versions", to: "/jobs/$jobId/versions", params },
    ...(can("JobService:Job:upsert") ? [{ label: "Edit", to: "/jobs/$jobId/edit" as const, params }] : []),
  ];
  return (
    <Page
      title={job.name}
      above={
        <Anchor component={Link} to="/jobs" size="sm">
          Jobs
        </Anchor>
      }
      badge={
        <Group gap={6}>
          {job.category && <Badge variant="light">{job.category}</Badge>}
          {job.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </Group>
      }
      about={job.description}
      actions={
        !starting && (
          <>
            {can("JobService:Job:execute") && (
              <Button
                leftSection={<IconPlayerPlayFilled size={15} />}
                renderRoot={(props) => <Link to="/jobs/$jobId/start" params={{ jobId }} {...props} />}
              >
                Start
              </Button>
            )}
            <JobMenu job={job} />
          </>
        )
      }
    >
      <div>
        <LinkTabs label="Job" tabs={tabs} />
        <Outlet />
      </div>
    </Page>
  );
}
