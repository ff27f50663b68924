import type { ConnectionField } from "@contract/connection.ts";
import { NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";

interface VariableFieldProps {
  field: ConnectionField;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  disabled?: boolean;
}

/** The field for a variable that is not sensitive, by its kind. Variables are texts, whatever they hold. */
export function VariableField({ field, value, onChange, error, disabled }: VariableFieldProps) {
  const { kind, label, help, required, values = [], max, default: usual } = field;
  const shared = { label, description: help || undefined, required, error, disabled };
  const change = ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value);
  switch (kind) {
    case "boolean":
      return (
        <Switch
          label={label}
          description={help || undefined}
          error={error}
          disabled={disabled}
          checked={value === "true"}
          onChange={({ currentTarget }) => onChange(String(currentTarget.checked))}
        />
      );
    case "enum": {
      const none = required ? [] : [{ value: "", label: usual ? `As usual: ${usual}` : "Not said" }];
      return (
        <NativeSelect
          {...shared}
          data={[...none, ...values.map((each) => ({ value: each, label: each }))]}
          value={value}
          onChange={change}
        />
      );
    }
    case "multiline":
      return <Textarea {...shared} autosize minRows={3} maxRows={12} value={value} onChange={change} />;
    case "number":
      return (
        <TextInput
          {...shared}
          inputMode="numeric"
          maw={160}
          maxLength={max ? String(max).length + 1 : 16}
          value={value}
          onChange={change}
        />
      );
    default:
      return (
        <TextInput
          {...shared}
          type={kind === "url" ? "url" : "text"}
          placeholder={kind === "url" ? "https://" : undefined}
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={change}
        />
      );
  }
}
