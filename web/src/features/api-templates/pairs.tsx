import { ActionIcon, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { newPair, type Pair } from "./draft.ts";

interface PairsProps {
  title: string;
  /** One of them: "header". */
  noun: string;
  help?: string;
  pairs: Pair[];
  onChange: (pairs: Pair[]) => void;
  faultOf: (name: string) => string | undefined;
  disabled: boolean;
}

/** Names and values, a row each. */
export function Pairs({ title, noun, help, pairs, onChange, faultOf, disabled }: PairsProps) {
  if (disabled && pairs.length === 0) return null;
  const change = (key: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair) => (pair.key === key ? { ...pair, ...part } : pair)));
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <div>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {help && pairs.length > 0 && (
          <Text size="xs" c="dimmed">
            {help}
          </Text>
        )}
      </div>
      {pairs.map(({ key, name, text }) => (
        <Group key={key} gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            aria-label={`Name of the ${noun}`}
            placeholder="Name"
            w="36%"
            maxLength={200}
            spellCheck={false}
            disabled={disabled}
            value={name}
            onChange={({ currentTarget }) => change(key, { name: currentTarget.value })}
            error={name !== "" && faultOf(name)}
          />
          <TextInput
            aria-label={`Value of the ${noun} ${name}`}
            placeholder="Value"
            flex={1}
            maxLength={8192}
            spellCheck={false}
            disabled={disabled}
            value={text}
            onChange={({ currentTarget }) => change(key, { text: currentTarget.value })}
          />
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
