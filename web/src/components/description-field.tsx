import { Textarea } from "@mantine/core";
import type { ReactNode } from "react";

interface Props {
  value: string;
  onChange: (value: string) => void;
  error: ReactNode;
  disabled?: boolean;
}

/** What a record is for, in people's words. It grows with what is typed. */
export function DescriptionField({ value, onChange, error, disabled }: Props) {
  return (
    <Textarea
      label="Description"
      autosize
      minRows={1}
      maxRows={6}
      maxLength={4000}
      dir="auto"
      disabled={disabled}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      error={error}
    />
  );
}
