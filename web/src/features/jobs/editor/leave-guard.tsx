import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";

/** Asks before what was written is lost. */
export function LeaveGuard({ isDirty }: { isDirty: () => boolean }) {
  const { proceed, reset, status } = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty() && current.pathname !== next.pathname,
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Modal opened={status === "blocked"} onClose={() => reset?.()} title="Leave without saving?">
      <Stack gap="md">
        <Text size="sm">What you wrote here is not saved, and will be lost.</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => reset?.()} data-autofocus>
            Stay
          </Button>
          <Button color="red.8" onClick={() => proceed?.()}>
            Leave
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
