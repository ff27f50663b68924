import { Stack, Text } from "@mantine/core";
import { CodeBlock } from "../../components/code-block.tsx";
import { JsonView } from "../../components/json-view.tsx";

/** The input of a step as its author wrote it: texts of several lines as such, the rest as JSON. */
export function StepInput({ input }: { input: Record<string, unknown> | undefined }) {
  const entries = Object.entries(input ?? {});
  if (entries.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        It takes no input.
      </Text>
    );
  }
  const texts = entries.filter(([, value]) => typeof value === "string" && value.includes("\n"));
  const rest = Object.fromEntries(entries.filter(([name]) => !texts.some(([other]) => other === name)));
  return (
    <Stack gap="sm">
      {Object.keys(rest).length > 0 && <JsonView value={rest} open={3} maxHeight={360} />}
      {texts.map(([name, value]) => (
        <div key={name}>
          <Text size="xs" fw={600} mb={4}>
            {name}
          </Text>
          <CodeBlock text={value as string} label={name} />
        </div>
      ))}
    </Stack>
  );
}
