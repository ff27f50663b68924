import { type McpAuthType, type McpServer, mcpAuthTypes } from "@contract/mcp-server.ts";
import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
} from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { SecretInput } from "../configuration/secret-input.tsx";
import { type AuthDraft, newPair, type Pair } from "./auth-draft.ts";

interface AuthFieldsProps {
  draft: AuthDraft;
  onChange: (change: Partial<AuthDraft>) => void;
  server: McpServer | undefined;
  /** Whether what is stored can stay. */
  keeps: boolean;
  faultOf: (place: string) => string | undefined;
  disabled: boolean;
}

const labels: Record<McpAuthType, string> = {
  NONE: "None",
  BEARER: "Bearer token",
  API_KEY: "API key",
  BASIC: "User and password",
  CUSTOM: "Headers or query values of its own",
};

/** How Pawl authenticates at a server; its credentials are sealed. */
export function AuthFields({ draft, onChange, server, keeps, faultOf, disabled }: AuthFieldsProps) {
  const isSet = server?.authType === draft.authType;
  const secret = { isSet, mustReenter: !keeps, disabled, required: true };
  return (
    <>
      <NativeSelect
        label="Authentication"
        data={mcpAuthTypes.map((value) => ({ value, label: labels[value] }))}
        maw={360}
        disabled={disabled}
        value={draft.authType}
        onChange={({ currentTarget }) => onChange({ authType: currentTarget.value as McpAuthType })}
        error={faultOf("")}
      />
      {draft.authType === "BEARER" && (
        <SecretInput
          {...secret}
          label="Token"
          change={draft.token}
          onChange={(token) => onChange({ token })}
          error={faultOf("/token")}
        />
      )}
      {draft.authType === "API_KEY" && (
        <>
          <SecretInput
            {...secret}
            label="Key"
            change={draft.apiKey}
            onChange={(apiKey) => onChange({ apiKey })}
            error={faultOf("/apiKey")}
          />
          <Group gap="md" align="flex-end">
            <TextInput
              label="Sent as"
              placeholder="X-API-Key"
              maxLength={200}
              disabled={disabled}
              value={draft.keyName}
              onChange={({ currentTarget }) => onChange({ keyName: currentTarget.value })}
              error={faultOf("/name")}
            />
            <SegmentedControl
              aria-label="Where the key is sent"
              disabled={disabled}
              data={[
                { value: "header", label: "Header" },
                { value: "query", label: "Query" },
              ]}
              value={draft.placement}
              onChange={(placement) => onChange({ placement: placement as AuthDraft["placement"] })}
            />
          </Group>
        </>
      )}
      {draft.authType === "BASIC" && (
        <>
          <TextInput
            label="User name"
            required
            autoComplete="off"
            disabled={disabled}
            value={draft.username}
            onChange={({ currentTarget }) => onChange({ username: currentTarget.value })}
            error={faultOf("/username")}
          />
          <SecretInput
            {...secret}
            label="Password"
            change={draft.password}
            onChange={(password) => onChange({ password })}
            error={faultOf("/password")}
          />
        </>
      )}
      {draft.authType === "CUSTOM" && (
        <>
          <Pairs
            title="Headers"
            noun="header"
            group="headers"
            pairs={draft.headers}
            onChange={(headers) => onChange({ headers })}
            keeps={keeps}
            faultOf={faultOf}
            disabled={disabled}
          />
          <Pairs
            title="Query values"
            noun="query value"
            group="query"
            pairs={draft.query}
            onChange={(query) => onChange({ query })}
            keeps={keeps}
            faultOf={faultOf}
            disabled={disabled}
          />
        </>
      )}
    </>
  );
}

interface PairsProps {
  title: string;
  noun: string;
  group: "headers" | "query";
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
  keeps: boolean;
  faultOf: (place: string) => string | undefined;
  disabled: boolean;
}

function Pairs({ title, noun, group, pairs, onChange, keeps, faultOf, disabled }: PairsProps) {
  const change = (key: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...part } : pair)));
  return (
    <Stack gap="xs" role="group" aria-label={title}>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      {pairs.map(({ key, name, value, isSet }) => (
        <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Name"
            w="36%"
            maxLength={200}
            disabled={disabled || isSet}
            value={name}
            onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
          />
          <div style={{ flex: 1, minWidth: 0 }}>
            <SecretInput
              label="Value"
              required
              isSet={isSet}
              mustReenter={!keeps}
              change={value}
              onChange={(next) => change(key, { value: next })}
              error={faultOf(`/${group}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`)}
              disabled={disabled}
            />
          </div>
          {!disabled && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove the ${noun} ${name}`}
              onClick={() => onChange(pairs.filter((pair) => pair.key !== key))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!disabled && (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            onClick={() => onChange([...pairs, newPair()])}
          >
            Add a {noun}
          </Button>
        </div>
      )}
    </Stack>
  );
}
