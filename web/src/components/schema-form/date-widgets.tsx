import { TextInput } from "@mantine/core";
import type { WidgetProps } from "@rjsf/utils";

/** The browser's own field for a day: known, quick to type in, and reachable by keyboard. */
export function DateWidget(props: WidgetProps) {
  return <Field {...props} type="date" read={(text) => text} show={(value) => value} />;
}

/** A local time on the page, a moment in UTC in the data. */
export function DateTimeWidget(props: WidgetProps) {
  return (
    <Field
      {...props}
      type="datetime-local"
      read={(text) => new Date(text).toISOString()}
      show={(value) => {
        const at = new Date(value);
        if (Number.isNaN(at.getTime())) return "";
        return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
      }}
    />
  );
}

interface Props extends WidgetProps {
  type: "date" | "datetime-local";
  read: (text: string) => string;
  show: (value: string) => string;
}

function Field({
  id,
  label,
  hideLabel,
  schema,
  required,
  disabled,
  readonly,
  value,
  onChange,
  rawErrors,
  type,
  read,
  show,
}: Props) {
  return (
    <TextInput
      id={id}
      type={type}
      label={hideLabel ? undefined : label}
      description={schema.description}
      required={required}
      disabled={disabled || readonly}
      value={typeof value === "string" ? show(value) : ""}
      onChange={({ currentTarget }) =>
        onChange(currentTarget.value === "" ? undefined : read(currentTarget.value))
      }
      error={rawErrors?.join("\n")}
    />
  );
}
