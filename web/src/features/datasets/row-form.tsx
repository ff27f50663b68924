import type { ColumnType, Dataset, DatasetColumn } from "@contract/dataset.ts";
import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";

/** Texts by the places of the columns: their names may be anything. */
type Draft = readonly string[];

interface RowFormProps {
  dataset: Dataset;
  onDone: () => void;
}

/** A field for each column, after its type. Appends one row after the other. */
export function RowForm({ dataset, onDone }: RowFormProps) {
  const { id, columns } = dataset;
  const [draft, setDraft] = useState<Draft>(() => columns.map(() => ""));
  const form = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: (_: { another: boolean }) =>
      api.appendDatasetRows({ params: { id }, body: { rows: [rowOf(columns, draft)] } }),
    onSuccess: ({ data }, { another }) => {
      queryClient.setQueryData(["datasets", "one", id], data);
      void queryClient.invalidateQueries({ queryKey: ["datasets", "list"] });
      notifications.show({ message: `Row ${data.rowCount.toLocaleString()} is added.` });
      if (!another) return onDone();
      setDraft(columns.map(() => ""));
      form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus();
    },
  });
  const paths = columns.map(({ name }) => `/rows/0/${pointer(name)}`);
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate({ another: false });
      }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          It goes to the end. What is left empty is null.
        </Text>
        {columns.map((column, i) => (
          <CellField
            key={column.name}
            column={column}
            value={draft[i] ?? ""}
            error={faultAt(add.error, paths[i]!)}
            onChange={(text) => setDraft(draft.with(i, text))}
          />
        ))}
        <FormFault error={add.error} shown={(path) => paths.includes(path)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={add.isPending} onClick={() => add.mutate({ another: true })}>
            Add, and another
          </Button>
          <Button type="submit" loading={add.isPending}>
            Add the row
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** As texts, which every type reads: a number loses no digit on the way. */
function rowOf(columns: DatasetColumn[], draft: Draft): Record<string, string> {
  const given = columns.map(({ name, type }, i) => [name, cellOf(type, draft[i] ?? "")] as const);
  return Object.fromEntries(given.filter(([, cell]) => cell !== ""));
}

function cellOf(type: ColumnType, text: string): string {
  return type === "timestamp" && text !== "" ? new Date(text).toISOString() : text;
}

/** The name of a column as the server writes it where it tells what is wrong. */
function pointer(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1").slice(0, 100);
}

interface CellFieldProps {
  column: DatasetColumn;
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

function CellField({ column: { name, type }, value, error, onChange }: CellFieldProps) {
  const shared = {
    label: <Label name={name} type={type} />,
    value,
    error,
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
  };
  switch (type) {
    case "boolean":
      return <NativeSelect {...shared} maw={240} data={[{ value: "", label: "–" }, "true", "false"]} />;
    case "date":
      return <TextInput {...shared} maw={240} type="date" />;
    case "timestamp":
      return <TextInput {...shared} maw={300} type="datetime-local" step={1} />;
    case "integer":
      return <TextInput {...shared} maw={300} inputMode="numeric" autoComplete="off" />;
    case "number":
      return <TextInput {...shared} maw={300} inputMode="decimal" autoComplete="off" />;
    default:
      return <Textarea {...shared} autosize minRows={1} maxRows={8} maxLength={65_536} dir="auto" />;
  }
}

function Label({ name, type }: DatasetColumn): ReactNode {
  return (
    <>
      <span dir="auto" className="any-text">
        {name}
      </span>{" "}
      <Text span size="xs" c="dimmed">
        {type}
      </Text>
    </>
  );
}
