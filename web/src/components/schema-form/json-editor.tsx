import { JsonInput } from "@mantine/core";
import { useState } from "react";

type Values = Record<string, unknown>;

/** An object written as JSON. What is not one yet is told, and not handed on. */
export function JsonEditor({
  value,
  onChange,
  label,
}: {
  value: Values;
  onChange: (value: Values) => void;
  label: string;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  return (
    <JsonInput
      label={label}
      autosize
      minRows={8}
      maxRows={28}
      value={text}
      onChange={(next) => {
        setText(next);
        const read = objectOf(next);
        if (read) onChange(read);
      }}
      error={objectOf(text) ? undefined : "This is not a JSON object yet."}
      styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.8125rem" } }}
    />
  );
}

function objectOf(text: string): Values | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Values)
      : undefined;
  } catch {
    return undefined;
  }
}
