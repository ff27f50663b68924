import type { JobExecution, StepExecution } from "@contract/execution.ts";
import { Anchor, Button, CloseButton, Code, Group, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { StatusBadge } from "../../components/status-badge.tsx";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import type { StepView } from "../../routes/executions.ts";
import { useCan } from "../../services/session.tsx";
import { restartPoints } from "./control.ts";
import { stepQuery } from "./queries.ts";
import { StepAttempts } from "./step-attempts.tsx";
import { StepLog } from "./step-log.tsx";
import classes from "./step-panel.module.css";
import { StepTabs } from "./step-tabs.tsx";

interface StepPanelProps {
  execution: JobExecution;
  step: StepExecution;
  view: StepView | undefined;
  onClose: () => void;
  onRestart: (stepKey: string) => void;
  /** It fills a drawer, and needs no frame of its own. */
  bare?: boolean;
}

/** One step: what it was given, what it answered, said and failed with, now and in earlier attempts. */
export function StepPanel({ execution, step, view, onClose, onRestart, bare }: StepPanelProps) {
  const views = viewsOf(execution, step);
  const shown = view && views.includes(view) ? view : views[0]!;
  return (
    <Paper
      className={`${classes.panel} ${bare ? classes.drawer : ""}`}
      component="section"
      aria-label={`Step ${step.stepKey}`}
    >
      <header className={classes.head}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
          <div className={classes.names}>
            <Text fw={650} className={classes.title} component="h2">
              {step.stepName}
            </Text>
            <Text size="xs" c="dimmed" component="div">
              <Code className={classes.key}>{step.stepKey}</Code> {step.type}
            </Text>
          </div>
          <Group gap={4} wrap="nowrap">
            <RestartHere execution={execution} step={step} onRestart={onRestart} />
            <CloseButton aria-label="Close the step" onClick={onClose} />
          </Group>
        </Group>
        <Facts execution={execution} step={step} />
      </header>
      <StepTabs views={views} shown={shown} />
      <div className={classes.body}>
        {shown === "log" ? (
          <StepLog execution={execution} step={step} />
        ) : shown === "attempts" ? (
          <StepAttempts execution={execution} stepKey={step.stepKey} />
        ) : (
          <Content execution={execution} step={step} view={shown} />
        )}
      </div>
    </Paper>
  );
}

/** What there is to see of a step; what one looks for first comes first. */
function viewsOf({ attempts }: JobExecution, step: StepExecution): StepView[] {
  const views: StepView[] = step.error ? ["error", "output", "input", "log"] : ["output", "input", "log"];
  if (step.status === "RUNNING") views.unshift(...views.splice(views.indexOf("log"), 1));
  return attempts.length > 1 ? [...views, "attempts"] : views;
}

function Facts({ execution, step }: { execution: JobExecution; step: StepExecution }) {
  const { status, startTime, durationMs, attempts, waitingUntil, childExecutionId, run } = step;
  return (
    <Group gap="xs" mt={8} fz="xs" c="dimmed" className={classes.facts}>
      <StatusBadge status={status} />
      {startTime && (
        <span>
          <TimeText at={startTime} /> · <DurationText ms={durationMs} since={startTime} />
        </span>
      )}
      {attempts > 1 && <span>{attempts} tries</span>}
      {run < execution.run && startTime && <span>kept from attempt {run}</span>}
      {waitingUntil && status === "WAITING" && (
        <span>
          until <TimeText at={waitingUntil} /> (<TimeText at={waitingUntil} ago />)
        </span>
      )}
      {childExecutionId && (
        <Anchor
          size="xs"
          renderRoot={(props) => (
            <Link to="/executions/$executionId" params={{ executionId: childExecutionId }} {...props} />
          )}
        >
          The execution that it started
        </Anchor>
      )}
    </Group>
  );
}

interface RestartHereProps {
  execution: JobExecution;
  step: StepExecution;
  onRestart: (stepKey: string) => void;
}

function RestartHere({ execution, step, onRestart }: RestartHereProps) {
  const may = useCan()("JobService:JobExecution:control");
  const latest = execution.attempts.at(-1)?.run === execution.run;
  if (!may || !latest || !restartPoints(execution).some(({ stepKey }) => stepKey === step.stepKey))
    return null;
  return (
    <Button
      size="compact-sm"
      variant="light"
      leftSection={<IconRefresh size={14} />}
      onClick={() => onRestart(step.stepKey)}
    >
      Restart from here
    </Button>
  );
}

function Content({
  execution,
  step,
  view,
}: {
  execution: JobExecution;
  step: StepExecution;
  view: "output" | "input" | "error";
}) {
  const { data, error, refetch } = useQuery(stepQuery(execution.id, step, execution.run));
  if (view === "error") return <StepError step={step} />;
  if (error) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!data) {
    return (
      <Stack gap="sm" p="md" aria-busy="true">
        <Skeleton height={12} width="40%" />
        <Skeleton height={12} width="70%" />
        <Skeleton height={12} width="55%" />
      </Stack>
    );
  }
  if (view === "input") {
    return (
      <>
        {data.inputNote && (
          <Text size="xs" c="dimmed" px="md" pt="sm" className="any-text">
            {data.inputNote}
          </Text>
        )}
        {data.input !== null && <JsonView value={data.input} path="input" maxHeight="var(--panel-json)" />}
      </>
    );
  }
  if (data.output === null && step.status !== "COMPLETED") {
    return (
      <Text size="sm" c="dimmed" p="md">
        {step.endTime === null ? "It has no output yet." : "It has no output."}
      </Text>
    );
  }
  return <JsonView value={data.output} path={`steps.${step.stepKey}.output`} maxHeight="var(--panel-json)" />;
}

function StepError({ step: { error, status, tries } }: { step: StepExecution }) {
  return (
    <Stack gap="sm" p="md">
      {error && (
        <>
          <Text size="sm" className="any-text" component="section" aria-label="Error">
            {error.message}
          </Text>
          <Text size="xs" c="dimmed">
            <span className="mono">{error.code}</span>
            {(status === "WAITING" || status === "RUNNING") && " · It is tried again."}
          </Text>
          {error.childExecutionId && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  to="/executions/$executionId"
                  params={{ executionId: error.childExecutionId! }}
                  {...props}
                />
              )}
            >
              Open the execution that failed
            </Anchor>
          )}
        </>
      )}
      {tries.some(({ message }) => message !== null) && (
        <div>
          <Text size="xs" c="dimmed" mb={4}>
            Earlier tries
          </Text>
          <Stack gap={6}>
            {tries
              .filter(({ message }) => message !== null)
              .map(({ attempt, endTime, message }) => (
                <Text key={attempt} size="xs" className="any-text">
                  <TimeText at={endTime} /> {message}
                </Text>
              ))}
          </Stack>
        </div>
      )}
    </Stack>
  );
}
