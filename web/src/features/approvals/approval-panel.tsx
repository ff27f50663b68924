import type { JobExecution } from "@contract/execution.ts";
import { Alert, Anchor, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { useMayDecide } from "../executions/control.ts";
import { executionQuery } from "../executions/queries.ts";
import classes from "./approvals.module.css";
import { DecisionContext } from "./decision-context.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { Decided, DecisionTerms, lastDecision } from "./decision-state.tsx";
import { leadsTo } from "./leads-to.ts";
import { LinkMaker } from "./link-maker.tsx";

interface ApprovalPanelProps {
  executionId: string;
  jobName: string | undefined;
  /** The question that the inbox has of it; undefined once it has none any more. */
  asked: string | undefined;
}

/** One question with what is needed to answer it, and the form that does. */
export function ApprovalPanel({ executionId, jobName, asked }: ApprovalPanelProps) {
  const { data: execution, error, refetch } = useQuery({ ...executionQuery(executionId), staleTime: 0 });
  const shown = execution?.waitingFor?.stepExecutionId;
  // The inbox is kept up to date: where it knows better, somebody has decided meanwhile.
  useEffect(() => {
    if (shown !== undefined && shown !== asked) void refetch();
  }, [shown, asked, refetch]);
  if (error) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!execution) {
    return (
      <Paper p="lg">
        <Stack gap="md" aria-busy="true">
          <Title order={2}>{jobName ?? <Skeleton height={20} width={180} />}</Title>
          <Skeleton height={14} width="80%" />
          <Skeleton height={14} width="60%" />
          <Skeleton height={90} />
        </Stack>
      </Paper>
    );
  }
  return (
    <Paper p="lg" component="section" aria-label="Decision">
      <Stack gap="lg">
        <div>
          <Title order={2} className={classes.title}>
            {execution.jobName}
          </Title>
          <Text size="xs" c="dimmed" component="div">
            Started by {execution.startedBy} <TimeText at={execution.startTime} ago /> ·{" "}
            <Anchor
              size="xs"
              underline="always"
              renderRoot={(props) => (
                <Link to="/executions/$executionId" params={{ executionId }} {...props} />
              )}
            >
              Open the execution
            </Anchor>
          </Text>
        </div>
        <Question execution={execution} />
        <DecisionContext execution={execution} />
      </Stack>
    </Paper>
  );
}

function Question({ execution }: { execution: JobExecution }) {
  const mayDecide = useMayDecide();
  // After a decision of one's own the answer is shown, not that it was decided already.
  const [done, setDone] = useState<"approve" | "reject" | "changed">();
  const { waitingFor } = execution;
  if (!waitingFor) {
    const decision = lastDecision(execution);
    return (
      <Alert color={done === "reject" ? "gray" : "petrol"} radius="md" title={titleOf(done)}>
        {decision && <Decided decision={decision} />}
      </Alert>
    );
  }
  return (
    <Stack gap="md">
      <Text className={`any-text ${classes.question}`}>
        {waitingFor.message || "It waits for a decision."}
      </Text>
      <DecisionTerms waitingFor={waitingFor} />
      {mayDecide(waitingFor) ? (
        <>
          <DecisionForm
            key={waitingFor.stepExecutionId}
            executionId={execution.id}
            waitingFor={waitingFor}
            choice={waitingFor.form ? "approve" : undefined}
            leadsTo={leadsTo(execution)}
            onDone={setDone}
          />
          <Group>
            <LinkMaker executionId={execution.id} />
          </Group>
        </>
      ) : (
        <Text size="sm" c="dimmed">
          You may not decide this.
        </Text>
      )}
    </Stack>
  );
}

function titleOf(done: "approve" | "reject" | "changed" | undefined): string {
  if (done === "approve") return "You approved it: the execution goes on";
  if (done === "reject") return "You rejected it: the execution is stopped";
  return "There is nothing to decide any more";
}
