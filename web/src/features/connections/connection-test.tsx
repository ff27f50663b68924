import type { Connection, ConnectionTest as Outcome } from "@contract/connection.ts";
import { Button, Paper, Stack, Text } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { formatDuration } from "../../components/time-format.ts";
import { api } from "../../services/api.ts";
import { Notice } from "../configuration/notice.tsx";
import { StepList } from "../configuration/step-list.tsx";

/** Tries a connection out as it is saved, and shows how far it came. */
export function ConnectionTest({ connection }: { connection: Connection }) {
  const test = useMutation({
    mutationFn: async () => (await api.testConnection({ params: { id: connection.id } })).data,
  });
  return (
    <Section
      title="Does it work?"
      actions={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlugConnected size={15} />}
          loading={test.isPending}
          onClick={() => test.mutate()}
        >
          Test it
        </Button>
      }
    >
      <Paper p="md" aria-live="polite" aria-busy={test.isPending}>
        {test.isPending ? (
          <Quiet>It is tried now, for 20 seconds at most …</Quiet>
        ) : test.error ? (
          <Fault error={test.error} title="It was not tested" />
        ) : test.data ? (
          <TestOutcome outcome={test.data} />
        ) : (
          <Quiet>A test connects as a step would, with what is saved, and changes nothing there.</Quiet>
        )}
      </Paper>
    </Section>
  );
}

function Quiet({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}

/** Whether it works, and each step of finding out. */
export function TestOutcome({ outcome: { status, steps, durationMs } }: { outcome: Outcome }) {
  const good = status === "success";
  return (
    <Stack gap="xs">
      <Notice tone={good ? "green" : "red"}>
        {good ? "It works" : "It does not work"}, as was found in {formatDuration(durationMs)}.
      </Notice>
      <StepList label="Steps of the test" steps={steps} />
    </Stack>
  );
}
