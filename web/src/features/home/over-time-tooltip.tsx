import { Paper, Table, Text } from "@mantine/core";
import { shortTime } from "../../components/time-format.ts";
import type { Stretch } from "./stretches.ts";

/** What a bar of the chart counts. */
export function OverTimeTooltip({ stretch }: { stretch: Stretch | undefined }) {
  if (!stretch) return null;
  const rows: [string, number | string][] = [
    ["Completed", stretch.completed],
    ["Failed", stretch.failed],
    ["Stopped", stretch.stopped],
    ["Not over", stretch.unfinished],
    ["Success", stretch.success === null ? "–" : `${stretch.success} %`],
  ];
  return (
    <Paper p="sm" shadow="md" radius="md">
      <Text size="xs" fw={600} mb={4}>
        {shortTime(new Date(stretch.at))} – {shortTime(new Date(Date.parse(stretch.until) + 1))}
      </Text>
      <Table fz="xs" withRowBorders={false} verticalSpacing={1} horizontalSpacing={4}>
        <Table.Tbody>
          {rows.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Td c="dimmed">{label}</Table.Td>
              <Table.Td ta="right">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
