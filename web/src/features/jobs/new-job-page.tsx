import { Anchor, Skeleton } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Page } from "../../components/page.tsx";
import { firstText } from "./editor/vocabulary.ts";

const JobEditor = lazy(() => import("./editor/job-editor.tsx"));

export function NewJobPage() {
  return (
    <Page
      title="New job"
      above={
        <Anchor component={Link} to="/jobs" size="sm">
          Jobs
        </Anchor>
      }
    >
      <Suspense fallback={<Skeleton height={420} radius="lg" />}>
        <JobEditor start={firstText} />
      </Suspense>
    </Page>
  );
}
