import type { StepTypeInfo } from "@contract/job.ts";
import {
  NativeSelect,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { SchemaForm } from "../../../components/schema-form/lazy.tsx";
import { api } from "../../../services/api.ts";
import { useCan } from "../../../services/session.tsx";
import { setField, setInput, type Values } from "./edit-text.ts";
import { defaultsOf, withExpressions } from "./templated.ts";
import type { Schema } from "./vocabulary.ts";

interface StepFormProps {
  text: string;
  index: number;
  step: Values;
  types: StepTypeInfo[];
  onChange: (text: string) => void;
}

/** One step as a form: what every step has, and the input as its type describes it. Whatever is typed goes into the text. */
export function StepForm({ text, index, step, types, onChange }: StepFormProps) {
  const set = (path: string[], value: unknown) => onChange(setField(text, index, path, value));
  const said = (name: string) => (typeof step[name] === "string" ? step[name] : "");
  const type = types.find(({ name }) => name === step.type);
  const input = (step.input ?? {}) as Values;
  const retry = (step.retry ?? {}) as Values;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <TextInput
          label="Key"
          description="Others refer to it as steps.…"
          value={said("key")}
          maxLength={64}
          onChange={({ currentTarget }) => set(["key"], currentTarget.value)}
        />
        <TextInput
          label="Name"
          description="What people read"
          value={said("name")}
          maxLength={200}
          onChange={({ currentTarget }) => set(["name"], currentTarget.value)}
        />
      </SimpleGrid>
      <Select
        label="Type"
        description={type?.description}
        searchable
        data={types.map(({ name, title }) => ({ value: name, label: `${title} (${name})` }))}
        value={said("type") || null}
        onChange={(value) => value && set(["type"], value)}
      />
      {type && type.connectionTypes.length > 0 && (
        <ConnectionField type={type} step={step} onChange={(value) => set(["connection"], value)} />
      )}
      <TextInput
        label="Only when"
        description="An expression; the step is skipped when it is false"
        value={said("when")}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        onChange={({ currentTarget }) => set(["when"], currentTarget.value)}
      />
      {type && (
        <InputForm
          key={`${index} ${type.name}`}
          type={type}
          input={input}
          onChange={(next) => onChange(setInput(text, index, next, defaultsOf(type.input as Schema)))}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
        <NumberInput
          label="Tries"
          min={1}
          max={100}
          placeholder="1"
          value={(retry.maxAttempts as number | undefined) ?? ""}
          onChange={(value) =>
            typeof value === "number" && value > 1
              ? set(["retry", "maxAttempts"], value)
              : set(["retry"], undefined)
          }
        />
        <NumberInput
          label="Time limit"
          suffix=" s"
          min={0}
          placeholder="none"
          value={typeof step.timeoutMs === "number" ? step.timeoutMs / 1000 : ""}
          onChange={(value) =>
            set(["timeoutMs"], typeof value === "number" && value > 0 ? Math.round(value * 1000) : undefined)
          }
        />
        <NativeSelect
          label="When it fails"
          data={[
            { value: "fail", label: "fail" },
            { value: "continue", label: "go on" },
          ]}
          value={said("onError") || "fail"}
          onChange={({ currentTarget }) =>
            set(["onError"], currentTarget.value === "fail" ? undefined : currentTarget.value)
          }
        />
      </SimpleGrid>
      <Textarea
        label="Description"
        autosize
        minRows={1}
        maxRows={5}
        maxLength={4000}
        value={said("description")}
        onChange={({ currentTarget }) => set(["description"], currentTarget.value)}
      />
    </Stack>
  );
}

interface InputFormProps {
  type: StepTypeInfo;
  input: Values;
  onChange: (input: Values) => void;
}

function InputForm({ type, input, onChange }: InputFormProps) {
  const schema = withExpressions(type.input as Schema, input);
  return (
    <div>
      <Text fw={600} size="sm">
        Input
      </Text>
      <Text size="xs" c="dimmed" mb="xs">
        A text may hold expressions: {"{{ params.day }}"}.
      </Text>
      <SchemaForm idPrefix="step" schema={schema} value={input} onChange={onChange}>
        {null}
      </SchemaForm>
    </div>
  );
}

function ConnectionField({
  type,
  step,
  onChange,
}: {
  type: StepTypeInfo;
  step: Values;
  onChange: (connection: object | undefined) => void;
}) {
  const mayRead = useCan()("ConfigService:Connection:read");
  const found = useQuery({
    queryKey: ["connections", "list", "for", type.name],
    enabled: mayRead,
    queryFn: async ({ signal }) => {
      const constraints = type.connectionTypes.map((value) => ({ value, matchMode: "equals" as const }));
      const filters = { connectionType: { operator: "or" as const, constraints } };
      return (
        await api.searchConnections({
          body: { filters, sortBy: "name", sortOrder: "asc", size: 500 },
          signal,
        })
      ).data;
    },
  });
  const chosen = step.connection as { name?: string; connectionType?: string } | undefined;
  const options = (found.data ?? []).map(({ name, connectionType }) => ({
    value: `${connectionType}/${name}`,
    label: `${name} (${connectionType})`,
  }));
  const value = chosen?.name ? `${chosen.connectionType}/${chosen.name}` : null;
  if (value !== null && !options.some((option) => option.value === value))
    options.push({ value, label: chosen!.name! });
  return (
    <Select
      label="Connection"
      description={mayRead ? undefined : "You may not read connections: write its name in the text."}
      placeholder={type.connectionRequired ? "Choose one" : "none"}
      required={type.connectionRequired}
      clearable={!type.connectionRequired}
      searchable
      nothingFoundMessage={`No connection of type ${type.connectionTypes.join(" or ")}`}
      disabled={!mayRead}
      data={options}
      value={value}
      onChange={(next) => {
        if (next === null) return onChange(undefined);
        const slash = next.indexOf("/");
        onChange({ name: next.slice(slash + 1), connectionType: next.slice(0, slash) });
      }}
    />
  );
}
