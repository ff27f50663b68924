import { ActionIcon, Button, NativeSelect, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { type FilterField, modesOf } from "./fields.ts";
import type { Condition } from "./filters.ts";
import classes from "./toolbar.module.css";
import { isComplete, ValueInput } from "./value-input.tsx";

interface Draft {
  id: number;
  condition: Condition;
}

let made = 0;
const draftOf = (condition: Condition): Draft => ({ id: ++made, condition });

/** Builds the conditions of a search. One that is not finished yet does not count yet. */
export function ConditionList({
  fields,
  conditions,
  any,
  onChange,
}: {
  fields: FilterField[];
  conditions: Condition[];
  any: string[];
  onChange: (conditions: Condition[], any: string[]) => void;
}) {
  const first = fields[0]!;
  const blank = (field: FilterField): Condition => [field.name, modesOf(field)[0]!.value, undefined];
  const [drafts, setDrafts] = useState(() =>
    (conditions.length > 0 ? conditions : [blank(first)]).map(draftOf),
  );
  const set = (next: Draft[], nextAny = any) => {
    setDrafts(next);
    const finished = next.map(({ condition }) => condition).filter(isComplete);
    onChange(finished, nextAny);
  };
  const change = (id: number, condition: Condition) =>
    set(drafts.map((draft) => (draft.id === id ? { id, condition } : draft)));
  const repeated = fields.filter(
    ({ name }) => drafts.filter(({ condition }) => condition[0] === name).length > 1,
  );

  return (
    <Stack gap="sm" maw={620}>
      {drafts.length === 0 && (
        <Text size="sm" c="dimmed">
          Everything is shown.
        </Text>
      )}
      {drafts.map(({ id, condition }) => {
        const [name, mode, value] = condition;
        const field = fields.find((one) => one.name === name) ?? first;
        return (
          <div key={id} className={classes.condition}>
            <NativeSelect
              aria-label="Field"
              data={fields.map((one) => ({ value: one.name, label: one.label }))}
              value={name}
              onChange={({ currentTarget }) =>
                change(id, blank(fields.find((one) => one.name === currentTarget.value) ?? first))
              }
            />
            <NativeSelect
              aria-label="How it must match"
              data={modesOf(field)}
              value={mode}
              onChange={({ currentTarget }) =>
                change(id, [
                  name,
                  currentTarget.value as Condition[1],
                  keptValue(mode, currentTarget.value, value),
                ])
              }
            />
            <ValueInput
              field={field}
              mode={mode}
              value={value}
              onChange={(next) => change(id, [name, mode, next])}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label="Remove this condition"
              onClick={() => set(drafts.filter((draft) => draft.id !== id))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </div>
        );
      })}
      {repeated.map(({ name, label }) => (
        <SegmentedControl
          key={name}
          size="xs"
          aria-label={`Conditions on ${label}`}
          data={[
            { value: "all", label: `${label}: all must hold` },
            { value: "any", label: `${label}: one is enough` },
          ]}
          value={any.includes(name) ? "any" : "all"}
          onChange={(choice) =>
            set(drafts, choice === "any" ? [...any, name] : any.filter((one) => one !== name))
          }
        />
      ))}
      <Button
        variant="subtle"
        size="xs"
        leftSection={<IconPlus size={14} />}
        onClick={() => setDrafts([...drafts, draftOf(blank(first))])}
        style={{ alignSelf: "start" }}
      >
        Add a condition
      </Button>
    </Stack>
  );
}

/** A range and a list are of another shape than one value. */
function keptValue(from: string, to: string, value: unknown): unknown {
  const shape = (mode: string) => (mode === "between" ? 2 : mode === "in" ? 3 : 1);
  return shape(from) === shape(to) ? value : undefined;
}
