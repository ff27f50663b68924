import type { JobExecution } from "@contract/execution.ts";
import { Anchor, NativeSelect, Paper, Text } from "@mantine/core";
import { Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { looks, solidOf } from "../../components/status.ts";
import { formatDuration } from "../../components/time-format.ts";
import { DurationText, TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import classes from "./banner.module.css";
import { triggerText } from "./trigger-text.ts";

/** What one wants to know of an execution at a glance. */
export function ExecutionFacts({ execution }: { execution: JobExecution }) {
  const can = useCan();
  const { jobId, jobVersion, startTime, durationMs, activeDurationMs, pausedMs, startedBy, client } =
    execution;
  return (
    <Paper p="md">
      <div className={classes.facts}>
        <Fact label="Steps">
          <Progress execution={execution} />
        </Fact>
        <Fact label="Started">
          <TimeText at={startTime} />
        </Fact>
        <Fact
          label="Duration"
          note={
            pausedMs > 0
              ? `${formatDuration(activeDurationMs)} active, ${formatDuration(pausedMs)} paused`
              : undefined
          }
        >
          <DurationText ms={durationMs} since={startTime} />
        </Fact>
        <Fact
          label="Started by"
          note={client ? `through ${client.name ?? "an assistant"}` : <Trigger execution={execution} />}
        >
          {startedBy}
        </Fact>
        <Fact label="Job version">
          {can("JobService:Job:read") ? (
            <Anchor
              fz="sm"
              fw={600}
              renderRoot={(props) => (
                <Link
                  to="/jobs/$jobId/versions"
                  params={{ jobId }}
                  search={{ version: jobVersion }}
                  {...props}
                />
              )}
            >
              {jobVersion}
            </Anchor>
          ) : (
            jobVersion
          )}
        </Fact>
        {execution.attempts.length > 1 && <AttemptSelect execution={execution} />}
      </div>
    </Paper>
  );
}

/** Of what a step of another execution started: the way there. */
function Trigger({ execution }: { execution: JobExecution }) {
  const { triggeredBy, triggerSource } = execution;
  if (triggeredBy !== "job" || !triggerSource) return triggerText(execution);
  return (
    <Anchor
      size="xs"
      renderRoot={(props) => (
        <Link to="/executions/$executionId" params={{ executionId: triggerSource }} {...props} />
      )}
    >
      by a step of another job
    </Anchor>
  );
}

function Fact({ label, note, children }: { label: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <div className={classes.value}>{children}</div>
      {note && (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {note}
        </Text>
      )}
    </div>
  );
}

const order = ["COMPLETED", "SKIPPED", "FAILED", "STOPPED", "RUNNING", "WAITING"] as const;

function Progress({ execution: { stepExecutions: steps } }: { execution: JobExecution }) {
  const done = steps.filter(({ status }) => status === "COMPLETED" || status === "SKIPPED").length;
  const counts = order.map(
    (status) => [status, steps.filter((step) => step.status === status).length] as const,
  );
  return (
    <>
      {done} of {steps.length} done
      <span className={classes.progress} aria-hidden>
        {counts.map(([status, count]) =>
          count > 0 ? (
            <span
              key={status}
              title={`${count} ${looks[status].label}`}
              style={{ width: `${(count / steps.length) * 100}%`, background: solidOf(status) }}
            />
          ) : null,
        )}
      </span>
    </>
  );
}

function AttemptSelect({ execution: { attempts, run } }: { execution: JobExecution }) {
  const navigate = useNavigate({ from: "/executions/$executionId" });
  const latest = attempts.at(-1)!.run;
  return (
    <NativeSelect
      label="Attempt"
      size="xs"
      styles={{ label: { fontWeight: 400, color: "var(--mantine-color-dimmed)" } }}
      data={attempts.toReversed().map((attempt) => ({
        value: String(attempt.run),
        label: `${attempt.run}${attempt.run === latest ? ", the latest" : ""}: ${looks[attempt.status].label}`,
      }))}
      value={String(run)}
      onChange={({ currentTarget }) => {
        const next = Number(currentTarget.value);
        void navigate({
          search: (before) => ({ ...before, run: next === latest ? undefined : next }),
          replace: true,
          resetScroll: false,
        });
      }}
    />
  );
}
