import type { McpTool } from "@contract/mcp-server.ts";
import { Accordion, Button, CloseButton, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { Empty } from "../../components/empty.tsx";
import { JsonView } from "../../components/json-view.tsx";
import { ToneBadge } from "../configuration/tone-badge.tsx";
import { ParameterList } from "../jobs/parameter-list.tsx";
import classes from "./tool-list.module.css";

const shownAtFirst = 100;

interface ToolListProps {
  tools: McpTool[];
  /** Names of those that the discovery just made found new, or other than before. */
  added: string[];
  changed: string[];
}

/** The tools of a server with what each takes; found by name or description. */
export function ToolList({ tools, added, changed }: ToolListProps) {
  const [text, setText] = useState("");
  const [shown, setShown] = useState(shownAtFirst);
  const words = text.toLowerCase().split(/\s+/);
  const found = tools.filter((tool) => {
    const all = `${tool.name} ${tool.title ?? ""} ${tool.description}`.toLowerCase();
    return words.every((word) => all.includes(word));
  });
  return (
    <Stack gap="sm">
      {tools.length > 8 && (
        <TextInput
          type="search"
          aria-label="Search the tools"
          placeholder="Search the tools"
          leftSection={<IconSearch size={16} />}
          rightSection={
            text && <CloseButton size="sm" aria-label="Clear the search" onClick={() => setText("")} />
          }
          maw={360}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
      )}
      {found.length === 0 && <Empty title="No tool fits">Look for something else.</Empty>}
      <Accordion
        variant="separated"
        radius="lg"
        multiple
        chevronPosition="left"
        order={3}
        classNames={{ item: classes.tool }}
      >
        {found.slice(0, shown).map((tool) => (
          <Accordion.Item key={tool.name} value={tool.name}>
            <Accordion.Control>
              <Group gap="xs" wrap="wrap">
                <Text span size="sm" fw={600} className="mono" style={{ overflowWrap: "anywhere" }}>
                  {tool.name}
                </Text>
                <Hints annotations={tool.annotations} />
                {added.includes(tool.name) && <ToneBadge label="New" tone="green" />}
                {changed.includes(tool.name) && <ToneBadge label="Changed" tone="amber" />}
              </Group>
              <Text span size="xs" c="dimmed" lineClamp={2} style={{ overflowWrap: "anywhere" }} dir="auto">
                {tool.description || tool.title}
              </Text>
            </Accordion.Control>
            <Accordion.Panel>
              <Tool tool={tool} />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {found.length > shown && (
        <Button variant="subtle" onClick={() => setShown(shown + 10 * shownAtFirst)}>
          {found.length - shown} more …
        </Button>
      )}
    </Stack>
  );
}

function Tool({ tool }: { tool: McpTool }) {
  return (
    <Stack gap="md">
      {tool.description.length > 100 && (
        <Text size="sm" className="any-text">
          {tool.description}
        </Text>
      )}
      <div>
        <Text size="xs" fw={600} mb={4}>
          Takes
        </Text>
        <ParameterList schema={tool.inputSchema} />
      </div>
      <div>
        <Text size="xs" fw={600} mb={4}>
          Schema of its input
        </Text>
        <JsonView value={tool.inputSchema} open={1} maxHeight={320} />
      </div>
      {tool.outputSchema && (
        <div>
          <Text size="xs" fw={600} mb={4}>
            Schema of its output
          </Text>
          <JsonView value={tool.outputSchema} open={1} maxHeight={320} />
        </div>
      )}
      <Text size="xs" c="dimmed" className="mono" style={{ overflowWrap: "anywhere" }}>
        hash {tool.hash}
      </Text>
    </Stack>
  );
}

const hints = [
  ["readOnlyHint", "only reads", "gray"],
  ["destructiveHint", "may destroy", "red"],
  ["openWorldHint", "reaches outside", "gray"],
] as const;

/** What the server says of the tool itself; only a hint. */
function Hints({ annotations }: { annotations: McpTool["annotations"] }) {
  return hints
    .filter(([name]) => annotations?.[name] === true)
    .map(([name, label, tone]) => <ToneBadge key={name} label={label} tone={tone} />);
}
