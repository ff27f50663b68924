import type { ConnectionTypeInfo } from "@contract/connection.ts";
import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { keepSecret, type SecretChange, SecretInput } from "../configuration/secret-input.tsx";
import { type Extra, newExtra } from "./draft.ts";

interface ExtraVariablesProps {
  type: ConnectionTypeInfo;
  extras: Extra[];
  /** Names of those that are sealed. */
  sealed: string[];
  secrets: Record<string, SecretChange>;
  mustReenter: boolean;
  onExtras: (extras: Extra[]) => void;
  onSecret: (name: string, change: SecretChange) => void;
  faultOf: (name: string) => string | undefined;
  readOnly: boolean;
}

/** Variables that the type does not know: their names begin with its prefix. */
export function ExtraVariables(props: ExtraVariablesProps) {
  const { type, extras, sealed, secrets, mustReenter, onExtras, onSecret, faultOf, readOnly } = props;
  if (readOnly && extras.length === 0 && sealed.length === 0) return null;
  const change = (key: number, part: Partial<Extra>) =>
    onExtras(extras.map((extra) => (extra.key === key ? { ...extra, ...part } : extra)));
  return (
    <Stack gap="sm" role="group" aria-label="Further variables">
      {(extras.length > 0 || sealed.length > 0) && (
        <div>
          <Text size="sm" fw={600}>
            Further variables
          </Text>
          <Text size="xs" c="dimmed">
            Sealed when the name says so: password, secret, token, key and the like.
          </Text>
        </div>
      )}
      {sealed.map((name) => (
        <SecretInput
          key={name}
          label={name}
          isSet
          mustReenter={mustReenter}
          change={secrets[name] ?? keepSecret}
          onChange={(next) => onSecret(name, next)}
          error={faultOf(name)}
          disabled={readOnly}
        />
      ))}
      {extras.map(({ key, name, value }) => (
        <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            aria-label="Name of the variable"
            leftSection={<span className="mono">{type.extraPrefix}</span>}
            w="38%"
            maxLength={60}
            disabled={readOnly}
            value={name}
            onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of ${type.extraPrefix}${name}`}
            flex={1}
            disabled={readOnly}
            value={value}
            onChange={({ currentTarget }) => change(key, { value: currentTarget.value })}
            error={faultOf(type.extraPrefix + name)}
          />
          {!readOnly && (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={36}
              aria-label={`Remove ${type.extraPrefix}${name}`}
              onClick={() => onExtras(extras.filter((extra) => extra.key !== key))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      {!readOnly && (
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconPlus size={14} />}
            onClick={() => onExtras([...extras, newExtra()])}
          >
            Add another variable
          </Button>
        </div>
      )}
    </Stack>
  );
}
