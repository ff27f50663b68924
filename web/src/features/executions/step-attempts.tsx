import type { ExecutionAttempt, JobExecution } from "@contract/execution.ts";
import { Group, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Fault } from "../../components/fault.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import { executionQuery, stepQuery } from "./queries.ts";
import classes from "./step-panel.module.css";

/** What became of one step in each attempt of the execution, side by side. */
export function StepAttempts({ execution, stepKey }: { execution: JobExecution; stepKey: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <section className={classes.compare} tabIndex={0} aria-label="Attempts side by side">
      {execution.attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.run} executionId={execution.id} attempt={attempt} stepKey={stepKey} />
      ))}
    </section>
  );
}

function Attempt({
  executionId,
  attempt,
  stepKey,
}: {
  executionId: string;
  attempt: ExecutionAttempt;
  stepKey: string;
}) {
  const { data, error } = useQuery(executionQuery(executionId, attempt.run));
  const step = data?.stepExecutions.find((one) => one.stepKey === stepKey);
  return (
    <div className={classes.attempt}>
      <div className={classes.attemptHead}>
        <Group gap="xs" wrap="wrap">
          <Text size="sm" fw={600}>
            Attempt {attempt.run}
          </Text>
          {step && <StatusBadge status={step.status} />}
        </Group>
        <Text size="xs" c="dimmed" component="div">
          {step?.startTime ? (
            <>
              <TimeText at={step.startTime} /> · <DurationText ms={step.durationMs} since={step.startTime} />
              {step.run !== attempt.run && <> · kept from attempt {step.run}</>}
            </>
          ) : (
            <>version {attempt.jobVersion}</>
          )}
        </Text>
      </div>
      {error ? (
        <Fault error={error} />
      ) : !data ? (
        <Skeleton height={60} m="md" />
      ) : !step ? (
        <Text size="sm" c="dimmed" p="md">
          Version {attempt.jobVersion} has no such step.
        </Text>
      ) : step.startTime === null ? (
        <Text size="sm" c="dimmed" p="md">
          It did not come to this step.
        </Text>
      ) : (
        <Result executionId={executionId} step={step} run={attempt.run} />
      )}
    </div>
  );
}

function Result({
  executionId,
  step,
  run,
}: {
  executionId: string;
  step: JobExecution["stepExecutions"][number];
  run: number;
}) {
  const { data, error } = useQuery(stepQuery(executionId, step, run));
  if (error) return <Fault error={error} />;
  if (!data) return <Skeleton height={60} m="md" />;
  return (
    <>
      {data.error && (
        <Text size="sm" component="div" className={`any-text ${classes.attemptError}`}>
          {data.error.message}
          <Text size="xs" c="dimmed" className="mono">
            {data.error.code}
          </Text>
        </Text>
      )}
      {data.output !== null && <JsonView value={data.output} path={`steps.${step.stepKey}.output`} />}
    </>
  );
}
