import type { TokenRecord } from "@contract/identity.ts";
import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconKey, IconPlus, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { ConfirmAction } from "../../components/confirm-action.tsx";
import { Empty } from "../../components/empty.tsx";
import { Section } from "../../components/page.tsx";
import { type Column, DataTable } from "../../components/table/data-table.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { ToneBadge } from "../configuration/tone-badge.tsx";
import { NewToken } from "./new-token.tsx";
import { tokenSource } from "./queries.ts";

const columns: Column<TokenRecord>[] = [
  {
    id: "name",
    header: "Name",
    width: "20%",
    phone: "title",
    cell: ({ name }) => <span dir="auto">{name}</span>,
  },
  {
    id: "prefix",
    header: "Begins with",
    width: "150px",
    cell: ({ prefix }) => <span className="mono">{prefix}…</span>,
  },
  {
    id: "principal",
    header: "Acts as",
    phone: "meta",
    cell: ({ principalName }) => <span dir="auto">{principalName}</span>,
  },
  {
    id: "for",
    header: "For",
    width: "150px",
    phone: "meta",
    cell: ({ for: use, scopes }) =>
      use === "api" ? (
        "API"
      ) : (
        <Tooltip label={scopes?.join(", ") ?? ""}>
          <span>MCP · {scopes?.map((scope) => scope.split(":")[1]).join(", ")}</span>
        </Tooltip>
      ),
  },
  {
    id: "used",
    header: "Last used",
    width: "110px",
    cell: ({ lastUsedAt }) => (lastUsedAt ? <TimeText at={lastUsedAt} ago /> : "never"),
  },
  {
    id: "state",
    header: "Expires",
    width: "130px",
    phone: "aside",
    cell: (token) => <TokenState token={token} />,
  },
];

/** The tokens by which programs and assistants come in. None of them can be shown again. */
export function TokensPage() {
  const can = useCan();
  const [making, setMaking] = useState(false);
  const mayRevoke = can("IdentityService:Token:revoke");
  const mayMake = can("IdentityService:Token:create");
  const all = useMemo(
    () =>
      mayRevoke
        ? [
            ...columns,
            {
              id: "revoke",
              header: "Revoke",
              width: "84px",
              phone: "aside" as const,
              cell: (token: TokenRecord) => <Revoke token={token} />,
            },
          ]
        : columns,
    [mayRevoke],
  );
  const make = mayMake && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <Section title="Tokens" actions={make}>
      {can("IdentityService:Token:read") ? (
        <DataTable
          label="Tokens"
          source={tokenSource}
          columns={all}
          rowKey={({ id }) => id}
          empty={
            <Empty icon={<IconKey size={34} stroke={1.4} />} title="No tokens yet" action={make}>
              Programs and assistants come in by a token, each as one principal.
            </Empty>
          }
        />
      ) : (
        <Text size="sm" c="dimmed">
          You may make tokens, and not see those that there are.
        </Text>
      )}
      {mayMake && <NewToken opened={making} onClose={() => setMaking(false)} />}
    </Section>
  );
}

function TokenState({ token: { expiresAt, revokedAt } }: { token: TokenRecord }) {
  if (revokedAt) return <ToneBadge label="Revoked" tone="gray" />;
  if (!expiresAt) return <>never</>;
  if (Date.parse(expiresAt) <= Date.now()) return <ToneBadge label="Expired" tone="gray" />;
  return <TimeText at={expiresAt} ago />;
}

function Revoke({ token }: { token: TokenRecord }) {
  const queryClient = useQueryClient();
  if (token.revokedAt) return null;
  return (
    <ConfirmAction
      title={`Revoke ${token.name}?`}
      says={
        <>
          Whatever uses the token that begins with <span className="mono">{token.prefix}</span> is refused
          from now on, browsers that signed in with it too. It can't be undone.
        </>
      }
      label="Revoke it"
      danger
      run={async () => {
        const { message } = await api.revokeToken({ params: { id: token.id } });
        await queryClient.invalidateQueries({ queryKey: ["tokens"] });
        notifications.show({ message });
      }}
    >
      {(ask) => (
        <Group>
          <ActionIcon
            variant="subtle"
            color="gray"
            onClick={ask}
            aria-label={`Revoke ${token.name.slice(0, 80)}`}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      )}
    </ConfirmAction>
  );
}
