import type { JobExecution, StepExecution } from "@contract/execution.ts";
import { Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { stepQuery } from "../executions/queries.ts";
import classes from "./approvals.module.css";

/** What to decide on: what the execution was started with, and what its steps have found so far. */
export function DecisionContext({ execution }: { execution: JobExecution }) {
  const { parameters, stepExecutions } = execution;
  const done = stepExecutions
    .filter(({ endTime, type }) => endTime !== null && type !== "approval")
    .toReversed();
  return (
    <section aria-label="What to decide on">
      {Object.keys(parameters).length > 0 && (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            Started with
          </Text>
          <div className={classes.json}>
            <JsonView value={parameters} path="params" maxHeight={220} />
          </div>
        </>
      )}
      {done.length > 0 && (
        <>
          <Text size="xs" c="dimmed" mt="md" mb={4}>
            What its steps have found, the latest first
          </Text>
          <div className={classes.json}>
            {done.slice(0, 20).map((step, i) => (
              <Found key={step.id} execution={execution} step={step} open={i === 0} />
            ))}
          </div>
        </>
      )}
    </section>
  );
}

function Found({ execution, step, open }: { execution: JobExecution; step: StepExecution; open: boolean }) {
  const [opened, setOpened] = useState(open);
  return (
    <details
      open={opened}
      onToggle={({ currentTarget }) => setOpened(currentTarget.open)}
      className={classes.found}
    >
      <summary>
        <span className={classes.foundName} dir="auto">
          {step.stepName}
        </span>
        <StatusBadge status={step.status} bare />
      </summary>
      {opened && <Output execution={execution} step={step} />}
    </details>
  );
}

function Output({ execution, step }: { execution: JobExecution; step: StepExecution }) {
  const { data, error, refetch } = useQuery(stepQuery(execution.id, step, execution.run));
  if (error) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={40} m="sm" />;
  if (data.error) {
    return (
      <Text size="sm" p="sm" className="any-text">
        {data.error.message}
      </Text>
    );
  }
  return <JsonView value={data.output} path={`steps.${step.stepKey}.output`} open={1} maxHeight={260} />;
}
