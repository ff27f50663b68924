import type { JobExecution } from "@contract/execution.ts";
import { Anchor, Table } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { StatusBadge } from "../../components/status-badge.tsx";
import { DurationText, TimeText } from "../../components/time-text.tsx";

/** The attempts of an execution, the latest first; each can be looked at as it was left. */
export function AttemptList({ execution: { attempts, run } }: { execution: JobExecution }) {
  return (
    <Table.ScrollContainer minWidth={460}>
      <Table fz="sm" verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Attempt</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th>Started</Table.Th>
            <Table.Th ta="right">Took</Table.Th>
            <Table.Th>From</Table.Th>
            <Table.Th ta="right">Version</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.toReversed().map((attempt) => (
            <Table.Tr key={attempt.run} bg={attempt.run === run ? "var(--pawl-active)" : undefined}>
              <Table.Td>
                <Anchor
                  fz="sm"
                  renderRoot={(props) => (
                    <Link
                      from="/executions/$executionId"
                      to="."
                      search={(before) => ({
                        ...before,
                        run: attempt.run === attempts.at(-1)!.run ? undefined : attempt.run,
                      })}
                      replace
                      resetScroll={false}
                      {...props}
                    />
                  )}
                >
                  {attempt.run}
                </Anchor>
              </Table.Td>
              <Table.Td>
                <StatusBadge status={attempt.status} bare />
              </Table.Td>
              <Table.Td>
                <TimeText at={attempt.startTime} />
              </Table.Td>
              <Table.Td ta="right">
                <DurationText
                  ms={attempt.endTime ? attempt.activeDurationMs : null}
                  since={attempt.startTime}
                />
              </Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>
                {attempt.fromStep?.name.slice(0, 80) ?? "the start"}
              </Table.Td>
              <Table.Td ta="right">{attempt.jobVersion}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
