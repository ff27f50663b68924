import type { VaultState } from "@contract/vault.ts";
import { Button, Paper, Progress, SimpleGrid, Skeleton, Stack, Table, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { Notice } from "../configuration/notice.tsx";
import { type Tone, ToneBadge } from "../configuration/tone-badge.tsx";
import { Figure } from "./engine-card.tsx";
import { isRotating, vaultQuery } from "./queries.ts";

const keyLooks: Record<VaultState["keys"][number]["state"], { label: string; tone: Tone }> = {
  active: { label: "Active", tone: "green" },
  pending: { label: "Not in use yet", tone: "blue" },
  retired: { label: "Opens only", tone: "gray" },
  locked: { label: "Locked", tone: "red" },
};

/** The keys that seal secrets, and their rotation. Keys themselves are never shown. */
export function VaultCard() {
  const { data: vault, error, refetch } = useQuery(vaultQuery);
  const mayRotate = useCan()("AdminService:Vault:rotate");
  return (
    <Section
      title="Vault"
      actions={mayRotate && vault && !isRotating(vault) && <Rotate values={vault.values} />}
    >
      {error && !vault && <Fault error={error} onRetry={() => void refetch()} />}
      {!vault && !error && <Skeleton height={220} radius="lg" />}
      {vault && (
        <Stack gap="sm">
          {!vault.masterKey.inForce && <Rewrap mayRotate={mayRotate} />}
          <Rotation vault={vault} />
          <Paper p="md">
            <SimpleGrid cols={{ base: 2, sm: 4 }}>
              <Figure label="Sealed values">{vault.values.toLocaleString()}</Figure>
              <Figure label="Keys">{vault.keys.length}</Figure>
              <Figure label="Processes that use them">{vault.processes}</Figure>
              <Figure label="Master key">
                <span className="mono">{vault.masterKey.id}</span>
              </Figure>
            </SimpleGrid>
          </Paper>
          <Keys vault={vault} />
        </Stack>
      )}
    </Section>
  );
}

function Keys({ vault }: { vault: VaultState }) {
  return (
    <Paper>
      <Table.ScrollContainer minWidth={520}>
        <Table verticalSpacing="xs" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Key</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Made</Table.Th>
              <Table.Th ta="right">Values that it seals</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {vault.keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td className="mono">{key.id}</Table.Td>
                <Table.Td>
                  <ToneBadge {...keyLooks[key.state]} />
                </Table.Td>
                <Table.Td>
                  <TimeText at={key.createdAt} />
                </Table.Td>
                <Table.Td ta="right">{key.values.toLocaleString()}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}

function Rotation({ vault: { rotation } }: { vault: VaultState }) {
  if (!rotation) return null;
  const { total, done, unreadable, startedBy, startedAt, finishedAt } = rotation;
  const share = total === 0 ? (finishedAt ? 1 : 0) : done / total;
  return (
    <Paper p="md" aria-live="polite">
      <Text size="sm" fw={600}>
        {finishedAt ? (
          <>
            Last rotated <TimeText at={finishedAt} ago /> by {startedBy}
          </>
        ) : (
          <>
            Rotating since <TimeText at={startedAt} ago />, begun by {startedBy}
          </>
        )}
      </Text>
      {!finishedAt && <Progress mt="xs" value={share * 100} animated aria-label="Rotation" />}
      <Text size="xs" c="dimmed" mt={4}>
        {total === 0 && !finishedAt
          ? "The new key is being handed to every process."
          : `${done.toLocaleString()} of ${total.toLocaleString()} values are sealed with key ${rotation.keyId}.`}
        {!finishedAt && " It goes on by itself, over a restart too."}
      </Text>
      {unreadable > 0 && (
        <Text size="sm" c="var(--st-red)" mt={4}>
          {unreadable} {unreadable === 1 ? "value opens" : "values open"} with no key and stay as they are:
          enter those secrets again.
        </Text>
      )}
    </Paper>
  );
}

function Rotate({ values }: { values: number }) {
  const queryClient = useQueryClient();
  return (
    <ConfirmAction
      title="Rotate the key?"
      says={`A new key is made, and ${values.toLocaleString()} values are sealed anew with it in the background, while Pawl serves. Nothing has to be entered again.`}
      label="Rotate it"
      run={async () => {
        const { data, message } = await api.rotateVault();
        queryClient.setQueryData(vaultQuery.queryKey, data);
        notifications.show({ message });
      }}
    >
      {(ask) => (
        <Button variant="default" onClick={ask}>
          Rotate the key …
        </Button>
      )}
    </ConfirmAction>
  );
}

function Rewrap({ mayRotate }: { mayRotate: boolean }) {
  const queryClient = useQueryClient();
  return (
    <Notice tone="amber" icon={IconAlertTriangle} title="The keys are under the previous master key yet">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          Put the new one in its place; then Pawl no longer needs PAWL_MASTER_KEY_PREVIOUS.
        </Text>
        {mayRotate && (
          <ConfirmAction
            title="Put the new master key in place?"
            says="Every key is wrapped anew with it. The sealed values stay as they are."
            label="Put it in place"
            run={async () => {
              const { message } = await api.rewrapVault();
              await queryClient.invalidateQueries({ queryKey: vaultQuery.queryKey });
              notifications.show({ message });
            }}
          >
            {(ask) => (
              <Button size="xs" variant="default" onClick={ask}>
                Put it in place …
              </Button>
            )}
          </ConfirmAction>
        )}
      </Stack>
    </Notice>
  );
}
