import { Anchor, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { type UseQueryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import type { TableState } from "../../components/table/filters.ts";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import type { fewExecutions, ListedExecution } from "../executions/queries.ts";
import { shownStatus } from "../executions/shown-status.ts";
import classes from "./short-list.module.css";

interface ExecutionListProps {
  title: string;
  query: ReturnType<typeof fewExecutions>;
  /** What the list is the beginning of. */
  search: TableState;
  empty: string;
  withError?: boolean;
}

/** The newest few of a list, and the way to all of it. */
export function ExecutionList({ title, query, search, empty, withError }: ExecutionListProps) {
  const { data, error, refetch } = useQuery(
    query as UseQueryOptions<{ rows: ListedExecution[]; total: number }>,
  );
  return (
    <Section
      title={title}
      actions={
        data &&
        data.total > data.rows.length && (
          <Anchor size="sm" renderRoot={(props) => <Link to="/executions" search={search} {...props} />}>
            All {data.total.toLocaleString()}
          </Anchor>
        )
      }
    >
      <Paper className={classes.list}>
        {error && !data ? (
          <Fault error={error} onRetry={() => void refetch()} />
        ) : !data ? (
          <ListSkeleton />
        ) : data.rows.length === 0 ? (
          <Text c="dimmed" size="sm" p="md">
            {empty}
          </Text>
        ) : (
          <ul className={classes.rows}>
            {data.rows.map((execution) => (
              <Row key={execution.id} execution={execution} withError={withError ?? false} />
            ))}
          </ul>
        )}
      </Paper>
    </Section>
  );
}

function Row({ execution, withError }: { execution: ListedExecution; withError: boolean }) {
  const { id, jobName, startTime, endTime, durationMs, error } = execution;
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <Link className={classes.link} to="/executions/$executionId" params={{ executionId: id }} dir="auto">
          {jobName}
        </Link>
        {withError && error && <span className={classes.about}>{error.message}</span>}
      </div>
      <span className={classes.aside}>
        {endTime ? <TimeText at={endTime} ago /> : <DurationText ms={durationMs} since={startTime} />}
      </span>
      <StatusBadge status={shownStatus(execution)} bare />
    </li>
  );
}

/** Rows that stand in for those that are on their way. */
export function ListSkeleton({ rows = 3 }: { rows?: number }) {
  return (
    <Stack gap="md" p="md" aria-busy="true">
      {Array.from({ length: rows }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change
        <Skeleton key={i} height={14} width={`${85 - i * 12}%`} />
      ))}
    </Stack>
  );
}
