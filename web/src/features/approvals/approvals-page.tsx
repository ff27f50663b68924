import { Anchor, Button, Paper, Stack, Text } from "@mantine/core";
import { IconHandStop } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { Fault } from "../../components/fault.tsx";
import { LiveDot } from "../../components/live-dot.tsx";
import { Page } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { useLiveLists } from "../../services/events.ts";
import { useCan } from "../../services/session.tsx";
import { ApprovalItem } from "./approval-item.tsx";
import { ApprovalPanel } from "./approval-panel.tsx";
import classes from "./approvals.module.css";
import { inboxQuery } from "./queries.ts";

const route = getRouteApi("/frame/approvals");

/** What waits for a decision, the longest waiting first, and beside it what is needed to decide. */
export function ApprovalsPage() {
  const { execution: selected } = route.useSearch();
  const mayWatch = useCan()("JobService:JobExecution:read");
  useLiveLists(mayWatch);
  const inbox = useInfiniteQuery(inboxQuery);
  const items = inbox.data?.pages.flatMap(({ rows }) => rows) ?? [];
  const total = inbox.data?.pages.at(-1)?.total ?? 0;
  if (inbox.error && !inbox.data) return <Fault error={inbox.error} onRetry={() => void inbox.refetch()} />;
  if (!inbox.data) return <PageSkeleton />;
  const chosen = items.find(({ executionId }) => executionId === selected);

  return (
    <Page
      title="Approvals"
      badge={<LiveDot />}
      about={
        total > 0
          ? total === 1
            ? "1 execution waits for somebody to decide."
            : `${total.toLocaleString()} executions wait for somebody to decide, the longest waiting first.`
          : undefined
      }
    >
      {items.length === 0 && selected === undefined ? (
        <Paper>
          <Empty icon={<IconHandStop size={36} stroke={1.4} />} title="Nothing waits for a decision">
            When a job asks people, by a step of type approval, its question shows up here.
          </Empty>
        </Paper>
      ) : (
        <div className={classes.split} data-open={selected !== undefined || undefined}>
          <Stack gap="sm" className={classes.inbox}>
            <Paper component="ul" className={classes.list} aria-label="What waits for a decision">
              {items.map((approval) => (
                <ApprovalItem
                  key={approval.waitingFor.stepExecutionId}
                  approval={approval}
                  selected={approval.executionId === selected}
                />
              ))}
              {items.length === 0 && (
                <Text component="li" size="sm" c="dimmed" p="md">
                  Nothing else waits for a decision.
                </Text>
              )}
            </Paper>
            {inbox.hasNextPage && (
              <Button
                variant="subtle"
                loading={inbox.isFetchingNextPage}
                onClick={() => void inbox.fetchNextPage()}
              >
                {(total - items.length).toLocaleString()} more
              </Button>
            )}
          </Stack>
          <div className={classes.detail}>
            {selected === undefined ? (
              <Paper className={classes.hint}>
                <Text size="sm" c="dimmed" ta="center" py={60}>
                  Choose one to see what it is about.
                </Text>
              </Paper>
            ) : (
              <>
                <Anchor
                  size="sm"
                  className={classes.back}
                  renderRoot={(props) => <Link to="/approvals" {...props} />}
                >
                  All that wait
                </Anchor>
                <ApprovalPanel
                  key={selected}
                  executionId={selected}
                  jobName={chosen?.jobName}
                  asked={chosen?.waitingFor.stepExecutionId}
                />
              </>
            )}
          </div>
        </div>
      )}
    </Page>
  );
}
