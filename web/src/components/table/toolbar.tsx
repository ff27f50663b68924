import { ActionIcon, Button, CloseButton, Group, Popover, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconFilter, IconSearch, IconX } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { ConditionList } from "./conditions.tsx";
import { type FilterField, wordOf } from "./fields.ts";
import type { Condition, TableState } from "./filters.ts";
import classes from "./toolbar.module.css";
import { valueText } from "./value-input.tsx";

interface ToolbarProps {
  /** What is looked for, as the field's label and hint. */
  search: string;
  fields: FilterField[];
  state: TableState;
  onChange: (state: TableState) => void;
  /** Ready-made filters beside the field. */
  children?: ReactNode;
}

/** Free text, conditions, and what of them is in force: everything goes into the address. */
export function TableToolbar({ search, fields, state, onChange, children }: ToolbarProps) {
  const [opened, setOpened] = useState(false);
  const conditions = state.f ?? [];
  const setConditions = (f: Condition[]) => onChange({ ...state, f: f.length > 0 ? f : undefined });
  return (
    <div className={classes.toolbar}>
      <Group gap="sm" wrap="wrap">
        <SearchField
          label={search}
          value={state.q ?? ""}
          onChange={(q) => onChange({ ...state, q: q || undefined })}
        />
        <Popover
          opened={opened}
          onChange={setOpened}
          position="bottom-start"
          shadow="md"
          trapFocus
          withinPortal
        >
          <Popover.Target>
            <Button
              variant="default"
              leftSection={<IconFilter size={16} />}
              onClick={() => setOpened(!opened)}
              aria-expanded={opened}
            >
              Filter{conditions.length > 0 ? ` (${conditions.length})` : ""}
            </Button>
          </Popover.Target>
          <Popover.Dropdown maw="calc(100vw - 2rem)">
            <ConditionList
              fields={fields}
              conditions={conditions}
              any={state.any ?? []}
              onChange={(f, any) =>
                onChange({ ...state, f: f.length > 0 ? f : undefined, any: any.length > 0 ? any : undefined })
              }
            />
          </Popover.Dropdown>
        </Popover>
        {children}
      </Group>
      {conditions.length > 0 && (
        <Group gap={6} mt="xs">
          {conditions.map((condition, i) => (
            // Conditions have no other identity than their place.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <span key={i} className={classes.pill}>
              <ConditionText fields={fields} condition={condition} />
              <ActionIcon
                size="xs"
                variant="transparent"
                color="gray"
                aria-label="Remove this condition"
                onClick={() => setConditions(conditions.filter((_, at) => at !== i))}
              >
                <IconX size={12} />
              </ActionIcon>
            </span>
          ))}
          <Button size="compact-xs" variant="subtle" color="gray" onClick={() => setConditions([])}>
            Clear
          </Button>
        </Group>
      )}
    </div>
  );
}

function ConditionText({
  fields,
  condition: [name, mode, value],
}: {
  fields: FilterField[];
  condition: Condition;
}) {
  const field = fields.find((one) => one.name === name);
  return (
    <Text size="xs" component="span" truncate>
      <b>{field?.label ?? name}</b> {wordOf(field, mode)} {valueText(field, value)}
    </Text>
  );
}

function SearchField({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const tell = useDebouncedCallback(onChange, 250);
  useEffect(() => setText(value), [value]);
  const set = (next: string) => {
    setText(next);
    tell(next.trim());
  };
  return (
    <TextInput
      className={classes.search}
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} />}
      rightSection={text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => set("")} />}
      maxLength={256}
      value={text}
      onChange={(event) => set(event.currentTarget.value)}
    />
  );
}
