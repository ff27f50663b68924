import { Grid, Paper, SegmentedControl, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Fault } from "../../components/fault.tsx";
import { LiveDot } from "../../components/live-dot.tsx";
import { Page, Section } from "../../components/page.tsx";
import { useLiveLists } from "../../services/events.ts";
import { useCan } from "../../services/session.tsx";
import { DecisionList } from "./decision-list.tsx";
import { ExecutionList } from "./execution-list.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { anyExecutionQuery, failedQuery, runningQuery, timelineQuery } from "./queries.ts";
import { type RangeName, ranges } from "./ranges.ts";

const route = getRouteApi("/frame/");
const Chart = lazy(() => import("./over-time-chart.tsx"));

/** What runs, what waits for somebody, what failed, and how it went. */
export function HomePage() {
  const can = useCan();
  if (!can("JobService:JobExecution:read")) return <FirstSteps />;
  return <Overview />;
}

function Overview() {
  const can = useCan();
  const any = useQuery(anyExecutionQuery);
  useLiveLists();
  if (any.data === false) return <FirstSteps />;
  return (
    <Page title="Home" badge={<LiveDot />}>
      <Figures />
      <OverTime />
      <Grid gap="xl">
        {can("JobService:JobExecution:approve") && (
          <Grid.Col span={{ base: 12, lg: 6 }}>
            <DecisionList />
          </Grid.Col>
        )}
        <Grid.Col span={{ base: 12, lg: 6 }}>
          <ExecutionList
            title="Running now"
            query={runningQuery}
            empty="Nothing runs just now."
            search={{ f: [["status", "in", ["RUNNING"]]] }}
          />
        </Grid.Col>
        <Grid.Col span={12}>
          <ExecutionList
            title="Failed lately"
            query={failedQuery}
            empty="Nothing has failed."
            search={{ f: [["status", "in", ["FAILED"]]] }}
            withError
          />
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function OverTime() {
  const { range = "day" } = route.useSearch();
  const navigate = route.useNavigate();
  const timeline = useQuery(timelineQuery(range));
  return (
    <Section
      title="Over time"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How far back"
          data={Object.entries(ranges).map(([value, { label }]) => ({ value, label }))}
          value={range}
          onChange={(next) => void navigate({ search: { range: next as RangeName }, replace: true })}
        />
      }
    >
      <Paper p="md">
        {timeline.error && !timeline.data ? (
          <Fault error={timeline.error} onRetry={() => void timeline.refetch()} />
        ) : (
          <Suspense fallback={<Skeleton height={250} radius="md" />}>
            {timeline.data ? (
              <Chart timeline={timeline.data} range={range} />
            ) : (
              <Skeleton height={250} radius="md" />
            )}
          </Suspense>
        )}
      </Paper>
    </Section>
  );
}
