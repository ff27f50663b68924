import { Button, Group, Modal, Stack, Text, Textarea } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Fault } from "./fault.tsx";

export interface ConfirmActionProps {
  title: string;
  /** What will happen, before it does. */
  says: ReactNode;
  /** On the button that does it: a verb. */
  label: string;
  danger?: boolean;
  /** Asks why; the answer is kept in the history. */
  withReason?: boolean;
  run: (reason: string | undefined) => Promise<unknown>;
  /** What opens it. */
  children: (ask: () => void) => ReactNode;
}

/** An action that says what it will do, does it once it is confirmed, and stays open with the reason when it is refused. */
export function ConfirmAction({ title, says, label, danger, withReason, run, children }: ConfirmActionProps) {
  const [opened, setOpened] = useState(false);
  const [reason, setReason] = useState("");
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => run(reason.trim() === "" ? undefined : reason.trim()),
    onSuccess: () => setOpened(false),
  });
  const ask = () => {
    reset();
    setReason("");
    setOpened(true);
  };
  return (
    <>
      {children(ask)}
      <Modal opened={opened} onClose={() => setOpened(false)} title={title}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            mutate();
          }}
        >
          <Stack gap="md">
            <Text size="sm" component="div">
              {says}
            </Text>
            {withReason && (
              <Textarea
                label="Reason"
                description="Kept in the history."
                autosize
                minRows={1}
                maxRows={6}
                maxLength={2000}
                value={reason}
                onChange={(event) => setReason(event.currentTarget.value)}
              />
            )}
            {error !== null && <Fault error={error} />}
            <Group justify="flex-end" gap="sm">
              <Button variant="default" onClick={() => setOpened(false)}>
                Leave it
              </Button>
              <Button
                type="submit"
                color={danger ? "red.8" : undefined}
                loading={isPending}
                data-autofocus={!withReason || undefined}
              >
                {label}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
