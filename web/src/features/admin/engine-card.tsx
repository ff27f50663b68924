import { Box, Button, Group, Paper, SimpleGrid, Skeleton, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { Notice } from "../configuration/notice.tsx";
import { ToneBadge } from "../configuration/tone-badge.tsx";
import { engineQuery } from "./queries.ts";

const looks = {
  running: { label: "Takes work", tone: "green" },
  draining: { label: "Drains", tone: "amber" },
  failing: { label: "Takes no work", tone: "red" },
} as const;

/** Whether this process takes work, how much it has, and the way to end it without cutting a step off. */
export function EngineCard() {
  const can = useCan();
  const mayRead = can("AdminService:Engine:read");
  const { data: engine, error, refetch } = useQuery({ ...engineQuery, enabled: mayRead });
  const draining = engine?.state === "draining";
  return (
    <Section
      title="Engine"
      actions={can("AdminService:Engine:drain") && !draining && <Drain running={engine?.running} />}
    >
      {error && !engine && <Fault error={error} onRetry={() => void refetch()} />}
      {mayRead && !engine && !error && <Skeleton height={92} radius="lg" />}
      {engine?.reason && (
        <Box mb="sm">
          <Notice tone={draining ? "amber" : "red"} icon={IconAlertTriangle} role="status">
            {draining
              ? engine.running === 0
                ? "Drained: no step is under way and none begins. Pawl may be ended; what is accepted goes on when it starts again."
                : `${engine.running} ${engine.running === 1 ? "execution has" : "executions have"} a step under way; none begins. Wait for them, then end Pawl.`
              : engine.reason}
          </Notice>
        </Box>
      )}
      {engine && (
        <Paper p="md">
          <SimpleGrid cols={{ base: 2, sm: 5 }}>
            <Figure label="State">
              <ToneBadge {...looks[engine.state]} />
            </Figure>
            <Figure label="With a step under way">{engine.running.toLocaleString()}</Figure>
            <Figure label="Waiting for their turn">{engine.queued.toLocaleString()}</Figure>
            <Figure label="Started">
              <TimeText at={engine.startedAt} ago />
            </Figure>
            <Figure label="Version">{engine.version}</Figure>
          </SimpleGrid>
        </Paper>
      )}
    </Section>
  );
}

export function Figure({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text size="md" fw={600} component="div">
        {children}
      </Text>
    </div>
  );
}

function Drain({ running }: { running: number | undefined }) {
  const queryClient = useQueryClient();
  return (
    <ConfirmAction
      title="Drain this Pawl?"
      says={
        <>
          No new step begins from now on, until Pawl is started again: starts are accepted and wait, and load
          balancers see it as not ready.{" "}
          {running
            ? `${running === 1 ? "1 step that is" : `${running} steps that are`} under way finish.`
            : "No step is under way now."}{" "}
          Do this before you end or update it. There is no way back but a restart.
        </>
      }
      label="Drain it"
      danger
      run={async () => {
        const { message } = await api.drain();
        await queryClient.invalidateQueries({ queryKey: ["engine"] });
        notifications.show({ message });
      }}
    >
      {(ask) => (
        <Group>
          <Button variant="default" onClick={ask}>
            Drain …
          </Button>
        </Group>
      )}
    </ConfirmAction>
  );
}
