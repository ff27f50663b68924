import { JsonInput } from "@mantine/core";
import type { FieldProps } from "@rjsf/utils";
import { useState } from "react";

/** A value of any shape, written as JSON. What is not JSON yet is kept as it is typed, and told apart. */
export function JsonField({
  schema,
  name,
  formData,
  onChange,
  required,
  disabled,
  readonly,
  fieldPathId,
  rawErrors,
}: FieldProps) {
  const [text, setText] = useState(() => (formData === undefined ? "" : JSON.stringify(formData, null, 2)));
  const fault = faultOf(text);
  const change = (next: string) => {
    setText(next);
    if (faultOf(next) === undefined)
      onChange(next.trim() === "" ? undefined : JSON.parse(next), fieldPathId.path);
  };
  return (
    <JsonInput
      id={fieldPathId.$id}
      label={schema.title ?? name}
      description={schema.description}
      placeholder="JSON"
      autosize
      minRows={2}
      maxRows={16}
      required={required}
      disabled={disabled || readonly}
      value={text}
      onChange={change}
      error={fault ?? rawErrors?.join("\n")}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" } }}
    />
  );
}

function faultOf(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return "is not JSON yet.";
  }
}
