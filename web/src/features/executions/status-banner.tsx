import type { JobExecution } from "@contract/execution.ts";
import { Anchor, Group, Paper, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconClockPause,
  IconPlayerPauseFilled,
  IconPlayerStopFilled,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { IconType } from "../../components/icon.ts";
import { TimeText } from "../../components/time-text.tsx";
import classes from "./banner.module.css";

/** Why an execution is where it is: what failed, who holds it, what it waits for. Nothing while it just runs. */
export function StatusBanner({ execution }: { execution: JobExecution }) {
  const { status, error, draining, resumeAt, waiting, waitingFor, actions } = execution;
  if (waitingFor) return null;
  if (status === "FAILED" && error) {
    const step = execution.stepExecutions.find(({ stepKey }) => stepKey === error.stepKey);
    return (
      <Banner tone="red" icon={IconAlertTriangle} label="Error">
        <Group gap={5} mb={2}>
          <Text size="sm" fw={600} span>
            It failed
          </Text>
          {error.stepKey && (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link
                  from="/executions/$executionId"
                  to="."
                  search={(before) => ({ ...before, step: error.stepKey, view: "error" as const })}
                  replace
                  resetScroll={false}
                  {...props}
                />
              )}
            >
              at the step {step?.stepName ?? error.stepKey}
            </Anchor>
          )}
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
              The execution that failed
            </Anchor>
          )}
        </Group>
        {/* It scrolls, so it must be reachable by keyboard. */}
        <Text
          size="sm"
          className={`any-text ${classes.error}`}
          component="section"
          tabIndex={0}
          aria-label="What went wrong"
        >
          {error.message}
        </Text>
        <Text size="xs" c="dimmed" mt={4} className="mono">
          {error.code}
        </Text>
      </Banner>
    );
  }
  if (status === "PAUSED") {
    const pause = actions.findLast(({ action }) => action === "PAUSE");
    return (
      <Banner tone="amber" icon={IconPlayerPauseFilled} label="Paused">
        <Text size="sm" className="any-text">
          {pause ? (
            <>
              Paused by <b>{pause.actor}</b> <TimeText at={pause.at} ago />
              {pause.reason && <>: {pause.reason}</>}
            </>
          ) : (
            "Paused."
          )}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {draining && "The step under way goes on to its end. "}
          {resumeAt ? (
            <>
              It goes on by itself <TimeText at={resumeAt} ago /> (<TimeText at={resumeAt} />
              ).
            </>
          ) : (
            "It waits until somebody resumes it."
          )}
        </Text>
      </Banner>
    );
  }
  if (status === "STOPPED") {
    const stop = actions.findLast(({ action }) => action === "STOP" || action === "REJECT");
    if (!stop) return null;
    return (
      <Banner tone="gray" icon={IconPlayerStopFilled} label="Stopped">
        <Text size="sm" className="any-text">
          {stop.action === "REJECT" ? "Rejected" : "Stopped"} by <b>{stop.actor}</b>{" "}
          <TimeText at={stop.at} ago />
          {stop.reason && <>: {stop.reason}</>}
        </Text>
      </Banner>
    );
  }
  if (waiting) {
    return (
      <Banner tone={waiting.reason === "retry" ? "amber" : "blue"} icon={IconClockPause} label="Waiting">
        <Text size="sm" className="any-text">
          {waiting.message}
          {waiting.until && (
            <>
              {" "}
              Until <TimeText at={waiting.until} /> (<TimeText at={waiting.until} ago />
              ).
            </>
          )}
        </Text>
      </Banner>
    );
  }
  return null;
}

function Banner({
  tone,
  icon: Icon,
  label,
  children,
}: {
  tone: "red" | "amber" | "blue" | "gray";
  icon: IconType;
  label: string;
  children: ReactNode;
}) {
  return (
    <Paper className={classes.banner} data-tone={tone} p="md" component="section" aria-label={label}>
      <span className={classes.icon} aria-hidden>
        <Icon size={20} stroke={1.8} />
      </span>
      <div style={{ minWidth: 0, flex: 1 }}>{children}</div>
    </Paper>
  );
}
