import { ActionIcon, CopyButton, Group, Text, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

/** A text in the letters of code, to be copied. */
export function CopyText({
  text,
  shown = text,
  label = "Copy",
}: {
  text: string;
  shown?: string;
  label?: string;
}) {
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Text span fz="0.8125rem" className="mono" style={{ overflowWrap: "anywhere", minWidth: 0 }}>
        {shown}
      </Text>
      <CopyIcon text={text} label={label} />
    </Group>
  );
}

export function CopyIcon({ text, label = "Copy" }: { text: string; label?: string }) {
  return (
    <CopyButton value={text} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? "Copied" : label}>
          <ActionIcon
            size="sm"
            variant="subtle"
            color="gray"
            onClick={copy}
            aria-label={copied ? "Copied" : label}
          >
            {copied ? <IconCheck size={15} /> : <IconCopy size={15} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
