import { Paper, Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { TimeText } from "../../components/time-text.tsx";

export type Fact = [label: string, value: ReactNode];

/** What is known of a record, label by label. */
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <Paper p="xs">
      <Table variant="vertical" withRowBorders={false} verticalSpacing={4} fz="sm" layout="fixed">
        <Table.Tbody>
          {facts.map(([label, value]) => (
            <Table.Tr key={label}>
              <Table.Th w={108} bg="transparent" fw={400} c="dimmed" style={{ verticalAlign: "top" }}>
                {label}
              </Table.Th>
              <Table.Td>
                <Text size="sm" component="div" className="any-text">
                  {value}
                </Text>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}

/** Who changed a record when. */
export function changesOf(record: {
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  updatedBy: string;
}): Fact[] {
  return [
    ["Changed", <TimeText key="changed" at={record.updatedAt} />],
    ["Changed by", record.updatedBy],
    ["Created", <TimeText key="created" at={record.createdAt} />],
    ["Created by", record.createdBy],
  ];
}
