import { Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { jobTextQuery } from "./editor/vocabulary.ts";
import { jobQuery } from "./queries.ts";

const route = getRouteApi("/frame/jobs/$jobId");
const JobEditor = lazy(() => import("./editor/job-editor.tsx"));

/** Changes a job. What it was when this page was opened is what is changed: a later version of somebody else is not overwritten. */
export function EditPage() {
  const { jobId } = route.useParams();
  const { data: current } = useQuery(jobQuery(jobId));
  const [opened] = useState(current);
  const job = opened ?? current;
  const text = useQuery({ ...jobTextQuery(job!), enabled: job !== undefined });
  if (text.error) return <Fault error={text.error} onRetry={() => void text.refetch()} />;
  if (!job || text.data === undefined) return <Skeleton height={420} radius="lg" />;
  return (
    <Suspense fallback={<Skeleton height={420} radius="lg" />}>
      <JobEditor start={text.data} job={job} />
    </Suspense>
  );
}
