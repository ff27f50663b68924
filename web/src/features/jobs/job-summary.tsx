import { Paper, SimpleGrid, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import { summaryQuery } from "./queries.ts";
import { RecentRuns } from "./recent-runs.tsx";

/** How the executions of a job have gone. */
export function JobSummaryCard({ jobId }: { jobId: string }) {
  const { data } = useQuery(summaryQuery(jobId));
  const some = data && data.totalExecutions > 0;
  return (
    <Paper p="md">
      <SimpleGrid cols={2} spacing="md" verticalSpacing="sm">
        <Figure label="In all">{data ? data.totalExecutions.toLocaleString() : "…"}</Figure>
        <Figure label="Completed">{some ? `${data.successRate} %` : "–"}</Figure>
        <Figure label="On average">
          <DurationText ms={data?.avgDurationMs} />
        </Figure>
        <Figure label="Slowest">
          <DurationText ms={data?.maxDurationMs} />
        </Figure>
        <Figure label="Last started">
          <TimeText at={data?.lastExecutedAt} ago />
        </Figure>
        <Figure label="Latest">
          <RecentRuns runs={data?.recent ?? []} />
        </Figure>
      </SimpleGrid>
    </Paper>
  );
}

/** A number with what it counts. */
export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fw={600} component="div" style={{ fontVariantNumeric: "tabular-nums" }}>
        {children}
      </Text>
    </div>
  );
}
