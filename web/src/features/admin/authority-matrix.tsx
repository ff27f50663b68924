import { authorities, covers } from "@contract/authorities.ts";
import { Checkbox, Group, Stack, Switch, Table, TagsInput, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Notice } from "../configuration/notice.tsx";

interface MatrixProps {
  value: string[];
  onChange: (value: string[]) => void;
  /** What the caller holds: nobody grants more. */
  held: string[];
  disabled: boolean;
  error?: string | undefined;
}

const everything = "*:*:*";

interface Resource {
  area: string;
  name: string;
  actions: string[];
}

const resources: Resource[] = [];
for (const authority of authorities) {
  const [area, name, action] = authority.split(":") as [string, string, string];
  const known = resources.find((one) => one.area === area && one.name === name);
  if (known) known.actions.push(action);
  else resources.push({ area, name, actions: [action] });
}
const areas = [...new Set(resources.map(({ area }) => area))];
const known = new Set<string>(authorities);

/** What a principal may do: a box for each authority, by what it is about. Patterns are written as such. */
export function AuthorityMatrix({ value, onChange, held, disabled, error }: MatrixProps) {
  const all = value.includes(everything);
  const patterns = value.filter((one) => !known.has(one) && one !== everything);
  const mayGrant = (authority: string) => held.some((one) => covers(one, authority));
  const toggle = (authority: string, on: boolean) =>
    onChange(on ? [...value, authority] : value.filter((one) => one !== authority));
  return (
    <Stack gap="md">
      {error && (
        <Notice tone="red" icon={IconAlertTriangle}>
          {error}
        </Notice>
      )}
      <Switch
        label="Everything"
        description="Administrators: all of it, and what comes later too."
        checked={all}
        disabled={disabled || (!all && !mayGrant(everything))}
        onChange={({ currentTarget }) => toggle(everything, currentTarget.checked)}
      />
      {!all && (
        <>
          {areas.map((area) => (
            <div key={area}>
              <Text size="sm" fw={600} mb={4}>
                {areaWords[area] ?? area}
              </Text>
              <Table verticalSpacing={6} layout="fixed">
                <Table.Tbody>
                  {resources
                    .filter((resource) => resource.area === area)
                    .map(({ name, actions }) => (
                      <Table.Tr key={name}>
                        <Table.Th w="32%" fw={400} fz="sm" style={{ overflowWrap: "anywhere" }}>
                          {spaced(name)}
                        </Table.Th>
                        <Table.Td>
                          <Group gap="md">
                            {actions.map((action) => {
                              const authority = `${area}:${name}:${action}`;
                              const byPattern = patterns.some((pattern) => covers(pattern, authority));
                              const on = value.includes(authority) || byPattern;
                              return (
                                <Checkbox
                                  key={action}
                                  size="xs"
                                  label={actionWords[action] ?? action}
                                  aria-label={authority}
                                  checked={on}
                                  disabled={disabled || byPattern || (!on && !mayGrant(authority))}
                                  onChange={({ currentTarget }) => toggle(authority, currentTarget.checked)}
                                />
                              );
                            })}
                          </Group>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                </Table.Tbody>
              </Table>
            </div>
          ))}
          <TagsInput
            label="Patterns"
            description="Such as JobService:*:read; any of the three parts may be *."
            placeholder={patterns.length === 0 ? "Enter after each" : ""}
            disabled={disabled}
            value={patterns}
            onChange={(next) => onChange([...value.filter((one) => !patterns.includes(one)), ...next])}
          />
        </>
      )}
    </Stack>
  );
}

const areaWords: Record<string, string> = {
  JobService: "Jobs",
  ConfigService: "Configuration",
  AiService: "Assistants",
  IdentityService: "Who comes in",
  AdminService: "Pawl itself",
};
const actionWords: Record<string, string> = { upsert: "write" };

/** JobExecution: Job execution. */
function spaced(name: string): string {
  const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^Api\b/, "API").replace(/^Mcp\b/, "MCP");
}
