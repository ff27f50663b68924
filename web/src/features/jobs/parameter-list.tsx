import { Code, Group, Stack, Text } from "@mantine/core";

type Schema = Record<string, unknown>;

/** What a job takes, as a list to read: names, types, what is required and what is so by default. */
export function ParameterList({ schema }: { schema: Schema | undefined }) {
  const properties = Object.entries((schema?.properties as Record<string, Schema> | undefined) ?? {});
  const required = (schema?.required as string[] | undefined) ?? [];
  if (properties.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {schema ? "Any: none is described." : "It takes none."}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {properties.map(([name, property]) => (
        <div key={name}>
          <Group gap={6} align="baseline">
            <Text size="sm" fw={600} className="mono" style={{ overflowWrap: "anywhere" }}>
              {name}
            </Text>
            <Text size="xs" c="dimmed">
              {typeOf(property)}
              {required.includes(name) ? ", required" : ""}
            </Text>
          </Group>
          {typeof property.description === "string" && (
            <Text size="xs" c="dimmed" className="any-text">
              {property.description}
            </Text>
          )}
          {property.default !== undefined && (
            <Text size="xs" c="dimmed">
              default <Code fz="xs">{JSON.stringify(property.default)}</Code>
            </Text>
          )}
        </div>
      ))}
    </Stack>
  );
}

function typeOf({ type, format, enum: values, secret }: Schema): string {
  if (secret === true) return "secret";
  if (Array.isArray(values))
    return values
      .map((value) => String(value))
      .join(" | ")
      .slice(0, 80);
  return String(format ?? (Array.isArray(type) ? type.join(" | ") : (type ?? "any")));
}
