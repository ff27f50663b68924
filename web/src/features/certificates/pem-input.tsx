import { Button, FileButton, Group, Text, Textarea } from "@mantine/core";
import { IconFileImport } from "@tabler/icons-react";

interface PemInputProps {
  label: string;
  help: string;
  required?: boolean;
  value: string;
  onChange: (value: string) => void;
  error?: string | undefined;
  disabled?: boolean;
  rows?: number;
}

/** PEM, pasted or from a file. */
export function PemInput({
  label,
  help,
  required,
  value,
  onChange,
  error,
  disabled,
  rows = 6,
}: PemInputProps) {
  return (
    <div>
      <Textarea
        label={label}
        description={help}
        required={required ?? false}
        autosize
        minRows={rows}
        maxRows={16}
        spellCheck={false}
        autoComplete="off"
        placeholder="-----BEGIN …"
        disabled={disabled ?? false}
        value={value}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
        error={error}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: "0.78rem" } }}
      />
      {!disabled && (
        <Group gap="xs" mt={4}>
          <FileButton accept=".pem,.crt,.cer,.key,.txt" onChange={(file) => void file?.text().then(onChange)}>
            {(props) => (
              <Button
                variant="subtle"
                size="compact-xs"
                leftSection={<IconFileImport size={14} />}
                {...props}
              >
                From a file
              </Button>
            )}
          </FileButton>
          {value !== "" && !value.includes("-----BEGIN") && (
            <Text size="xs" c="var(--st-amber)">
              This does not look like PEM, which has a line -----BEGIN …-----.
            </Text>
          )}
        </Group>
      )}
    </div>
  );
}
