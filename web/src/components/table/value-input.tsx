import { Checkbox, Group, NativeSelect, NumberInput, Stack, TextInput } from "@mantine/core";
import { formatDuration, shortTime } from "../time-format.ts";
import type { FilterField } from "./fields.ts";
import type { Condition } from "./filters.ts";

interface ValueInputProps {
  field: FilterField;
  mode: Condition[1];
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A condition that can be sent: nothing in it is missing. */
export function isComplete([, mode, value]: Condition): boolean {
  if (mode === "between") return Array.isArray(value) && value.length === 2 && value.every(isGiven);
  if (mode === "in") return Array.isArray(value) && value.length > 0;
  return isGiven(value);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** A value as people read it. */
export function valueText(field: FilterField | undefined, value: unknown): string {
  if (Array.isArray(value))
    return value.map((item) => valueText(field, item)).join(field?.kind === "choice" ? " or " : " and ");
  if (field?.kind === "time") return shortTime(new Date(String(value)));
  if (field?.kind === "duration") return formatDuration(Number(value));
  return field?.options?.find((option) => option.value === value)?.label ?? String(value);
}

export function ValueInput({ field, mode, value, onChange }: ValueInputProps) {
  if (mode === "between") {
    const [from, to] = Array.isArray(value) ? value : [];
    return (
      <Stack gap={4}>
        <OneValue field={field} label="From" value={from} onChange={(next) => onChange([next, to])} />
        <OneValue field={field} label="To" value={to} onChange={(next) => onChange([from, next])} />
      </Stack>
    );
  }
  if (mode === "in") {
    return (
      <Checkbox.Group aria-label="Values" value={Array.isArray(value) ? value : []} onChange={onChange}>
        <Group gap="sm" py={6}>
          {field.options?.map((option) => (
            <Checkbox key={option.value} size="xs" value={option.value} label={option.label} />
          ))}
        </Group>
      </Checkbox.Group>
    );
  }
  return <OneValue field={field} label="Value" value={value} onChange={onChange} />;
}

interface OneValueProps {
  field: FilterField;
  label: string;
  value: unknown;
  onChange: (value: unknown) => void;
}

function OneValue({ field, label, value, onChange }: OneValueProps) {
  switch (field.kind) {
    case "choice":
      return (
        <NativeSelect
          aria-label={label}
          data={[{ value: "", label: "Choose …" }, ...(field.options ?? [])]}
          value={String(value ?? "")}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
    case "number":
      return (
        <NumberInput
          aria-label={label}
          value={typeof value === "number" ? value : ""}
          onChange={(next) => onChange(typeof next === "number" ? next : undefined)}
        />
      );
    case "duration":
      return (
        <NumberInput
          aria-label={`${label} in seconds`}
          suffix=" s"
          min={0}
          value={typeof value === "number" ? value / 1000 : ""}
          onChange={(next) => onChange(typeof next === "number" ? Math.round(next * 1000) : undefined)}
        />
      );
    case "time":
      return (
        <TextInput
          type="datetime-local"
          aria-label={label}
          value={localInput(value)}
          onChange={({ currentTarget }) =>
            onChange(currentTarget.value ? new Date(currentTarget.value).toISOString() : undefined)
          }
        />
      );
    default:
      return (
        <TextInput
          aria-label={label}
          maxLength={4000}
          value={typeof value === "string" ? value : ""}
          onChange={(event) => onChange(event.currentTarget.value || undefined)}
        />
      );
  }
}

/** An ISO time as the browser's field for local times takes it. */
function localInput(value: unknown): string {
  const at = new Date(String(value ?? ""));
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
