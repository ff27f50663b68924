import { type AssistantName, assistants, snippetFor } from "@contract/assistant-snippets.ts";
import { Button, Code, CopyButton, Group, NativeSelect, SegmentedControl, Stack, Text } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { useState } from "react";
import { CodeBlock } from "../../components/code-block.tsx";

const choices = Object.entries(assistants).map(([value, { label }]) => ({ value, label }));

/** What to put into an assistant's configuration, to copy. */
export function Snippets({ token }: { token?: string }) {
  const [name, setName] = useState<AssistantName>("claude-desktop");
  const { where, text } = snippetFor(name, { url: location.origin, ...(token ? { token } : {}) });
  return (
    <Stack gap="sm">
      <SegmentedControl
        visibleFrom="sm"
        aria-label="Assistant"
        data={choices}
        value={name}
        onChange={(next) => setName(next as AssistantName)}
        fullWidth
      />
      <NativeSelect
        hiddenFrom="sm"
        label="Assistant"
        data={choices}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value as AssistantName)}
      />
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" c="dimmed">
          {where}
        </Text>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              leftSection={copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
              onClick={copy}
              style={{ flex: "none" }}
            >
              {copied ? "Copied" : "Copy"}
            </Button>
          )}
        </CopyButton>
      </Group>
      <CodeBlock text={text} label={`Configuration for ${assistants[name].label}`} />
      {name === "claude-desktop" && (
        <Text size="xs" c="dimmed">
          Claude Desktop starts a program: pawl must be installed on its machine. Elsewhere,{" "}
          <Code fz="xs">pawl mcp snippet</Code> prints this with the path of its own.
        </Text>
      )}
    </Stack>
  );
}
