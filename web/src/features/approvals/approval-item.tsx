import type { Approval } from "@contract/overview.ts";
import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { TimeText } from "../../components/time-text.tsx";
import classes from "./approvals.module.css";

/** One question of the inbox. */
export function ApprovalItem({ approval, selected }: { approval: Approval; selected: boolean }) {
  const { executionId, jobName, startedBy, since, mayDecide, waitingFor } = approval;
  return (
    <li className={classes.item} data-selected={selected || undefined}>
      <Link
        className={classes.link}
        to="/approvals"
        search={{ execution: executionId }}
        aria-current={selected || undefined}
        resetScroll={false}
      >
        <span className={classes.message}>{waitingFor.message || "It waits for a decision."}</span>
      </Link>
      <Text size="xs" c="dimmed" component="div" className={classes.about}>
        <span className={classes.job} dir="auto">
          {jobName}
        </span>
        <span>{startedBy}</span>
        <TimeText at={since} ago />
      </Text>
      {!mayDecide && (
        <Text size="xs" c="dimmed">
          For others to decide
        </Text>
      )}
      {waitingFor.deadline && (
        <Text size="xs" style={{ color: "var(--st-amber)" }} component="div">
          Until <TimeText at={waitingFor.deadline} /> (<TimeText at={waitingFor.deadline} ago />)
        </Text>
      )}
    </li>
  );
}
