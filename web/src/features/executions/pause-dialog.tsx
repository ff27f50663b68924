import type { JobExecution } from "@contract/execution.ts";
import { Button, Stack, TextInput } from "@mantine/core";
import { IconPlayerPauseFilled } from "@tabler/icons-react";
import { useState } from "react";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { api } from "../../services/api.ts";
import { currentStep, useChanged } from "./control.ts";
import { short } from "./control-buttons.tsx";

/** Holds an execution, until somebody resumes it or until a time. */
export function PauseDialog({ execution }: { execution: JobExecution }) {
  const changed = useChanged();
  const [until, setUntil] = useState("");
  const current = currentStep(execution);
  return (
    <ConfirmAction
      title="Pause the execution?"
      says={
        <Stack gap="md">
          <div>
            {current?.status === "RUNNING" ? (
              <>
                The step “{short(current.stepName)}” goes on to its end, and its result is kept. Nothing
                further starts
              </>
            ) : (
              <>Nothing further starts</>
            )}{" "}
            until it is resumed. Time spent paused does not count towards its timeout.
          </div>
          <TextInput
            type="datetime-local"
            label="Resume by itself at"
            description="Left empty, it waits until somebody resumes it."
            value={until}
            onChange={({ currentTarget }) => setUntil(currentTarget.value)}
          />
        </Stack>
      }
      label="Pause"
      withReason
      run={async (reason) => {
        const resumeAt = until === "" ? {} : { resumeAt: new Date(until).toISOString() };
        await api.pauseExecution({
          body: { jobExecutionId: execution.id, ...resumeAt, ...(reason ? { reason } : {}) },
        });
        changed();
      }}
    >
      {(ask) => (
        <Button
          variant="default"
          leftSection={<IconPlayerPauseFilled size={15} />}
          onClick={() => {
            setUntil("");
            ask();
          }}
        >
          Pause
        </Button>
      )}
    </ConfirmAction>
  );
}
