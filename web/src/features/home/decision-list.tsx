import type { Approval } from "@contract/overview.ts";
import { Anchor, Paper, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { ListSkeleton } from "./execution-list.tsx";
import { approvalsQuery } from "./queries.ts";
import classes from "./short-list.module.css";

const shown = 6;

/** What waits for a decision: what the caller may decide first, of that what waits the longest. */
export function DecisionList() {
  const { data, error, refetch } = useQuery(approvalsQuery);
  const rows = data?.rows.toSorted((a, b) => Number(b.mayDecide) - Number(a.mayDecide)).slice(0, shown);
  return (
    <Section
      title="Waiting for a decision"
      actions={
        data &&
        data.total > shown && (
          <Anchor component={Link} to="/approvals" size="sm">
            All {data.total.toLocaleString()}
          </Anchor>
        )
      }
    >
      <Paper className={classes.list}>
        {error && !data ? (
          <Fault error={error} onRetry={() => void refetch()} />
        ) : !rows ? (
          <ListSkeleton />
        ) : rows.length === 0 ? (
          <Text c="dimmed" size="sm" p="md">
            Nothing waits for anybody.
          </Text>
        ) : (
          <ul className={classes.rows}>
            {rows.map((approval) => (
              <Row key={approval.waitingFor.stepExecutionId} approval={approval} />
            ))}
          </ul>
        )}
      </Paper>
    </Section>
  );
}

function Row({ approval: { executionId, jobName, since, mayDecide, waitingFor } }: { approval: Approval }) {
  return (
    <li className={classes.row}>
      <div className={classes.main}>
        <Link className={classes.link} to="/approvals" search={{ execution: executionId }} dir="auto">
          {waitingFor.message || jobName}
        </Link>
        <span className={classes.about}>
          {jobName}
          {!mayDecide && " · for others to decide"}
        </span>
      </div>
      <span className={classes.aside}>
        <TimeText at={since} ago />
      </span>
    </li>
  );
}
