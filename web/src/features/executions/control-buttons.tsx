import type { JobExecution } from "@contract/execution.ts";
import { Button } from "@mantine/core";
import { IconPlayerPlayFilled, IconPlayerStopFilled, IconRefresh } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { countOf, currentStep, useChanged } from "./control.ts";
import { PauseDialog } from "./pause-dialog.tsx";
import { shownStatus } from "./shown-status.ts";

/** What can be done with an execution just now, by who looks at it. */
export function ControlButtons({ execution, onRestart }: { execution: JobExecution; onRestart: () => void }) {
  const can = useCan();
  const { status } = execution;
  const over = status === "COMPLETED" || status === "FAILED" || status === "STOPPED";
  const control = can("JobService:JobExecution:control");
  return (
    <>
      {over && can("JobService:Job:execute", "JobService:Job:read") && (
        <Button
          variant="default"
          leftSection={<IconPlayerPlayFilled size={15} />}
          renderRoot={(props) => (
            <Link to="/jobs/$jobId/start" params={{ jobId: execution.jobId }} {...props} />
          )}
        >
          Start another
        </Button>
      )}
      {control && (
        <>
          {status === "RUNNING" && <PauseDialog execution={execution} />}
          {shownStatus(execution) === "PAUSED" && <Resume execution={execution} />}
          {!over && <Stop execution={execution} />}
          {(status === "FAILED" || status === "STOPPED") && (
            <Button leftSection={<IconRefresh size={16} />} onClick={onRestart}>
              Restart …
            </Button>
          )}
        </>
      )}
    </>
  );
}

function Resume({ execution }: { execution: JobExecution }) {
  const changed = useChanged();
  const next = currentStep(execution);
  return (
    <ConfirmAction
      title="Resume the execution?"
      says={
        next ? (
          <>It goes on with the step “{short(next.stepName)}”.</>
        ) : (
          "It goes on, and ends: no step is left."
        )
      }
      label="Resume"
      withReason
      run={async (reason) => {
        await api.resumeExecution({ body: { jobExecutionId: execution.id, ...(reason ? { reason } : {}) } });
        changed();
      }}
    >
      {(ask) => (
        <Button leftSection={<IconPlayerPlayFilled size={15} />} onClick={ask}>
          Resume
        </Button>
      )}
    </ConfirmAction>
  );
}

function Stop({ execution }: { execution: JobExecution }) {
  const changed = useChanged();
  const current = currentStep(execution);
  const open = execution.stepExecutions.filter(({ endTime }) => endTime === null).length;
  const underWay = current?.status === "RUNNING" || current?.status === "WAITING";
  return (
    <ConfirmAction
      title="Stop the execution?"
      says={
        <>
          {current && underWay && (
            <>The step “{short(current.stepName)}” is ended now, and what it would have answered is lost. </>
          )}
          {countOf(open, "step")} of {execution.stepExecutions.length} will not run. Results so far are kept,
          and it can be restarted later; it can’t be resumed.
        </>
      }
      label="Stop it"
      danger
      withReason
      run={async (reason) => {
        await api.stopExecution({ body: { jobExecutionId: execution.id, ...(reason ? { reason } : {}) } });
        changed();
      }}
    >
      {(ask) => (
        <Button
          variant="default"
          leftSection={<IconPlayerStopFilled size={15} color="var(--st-red-solid)" />}
          onClick={ask}
        >
          Stop
        </Button>
      )}
    </ConfirmAction>
  );
}

/** A name in a sentence: of a very long one its beginning. */
export function short(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}
