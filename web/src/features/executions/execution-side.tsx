import type { JobExecution } from "@contract/execution.ts";
import { Paper, Tabs, Text } from "@mantine/core";
import { JsonView } from "../../components/json-view.tsx";
import { AttemptList } from "./attempt-list.tsx";
import { History } from "./history.tsx";
import { LogView } from "./log-view.tsx";

/** What there is besides the steps: who did what, what it was started with, the attempts, all of the log. */
export function ExecutionSide({ execution }: { execution: JobExecution }) {
  const { parameters, attempts } = execution;
  return (
    <Paper style={{ overflow: "hidden", minWidth: 0 }} component="section" aria-label="About the execution">
      <Tabs defaultValue="history" keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="parameters">Parameters</Tabs.Tab>
          <Tabs.Tab value="log">Log</Tabs.Tab>
          {attempts.length > 1 && <Tabs.Tab value="attempts">Attempts</Tabs.Tab>}
        </Tabs.List>
        <Tabs.Panel value="history">
          <History execution={execution} />
        </Tabs.Panel>
        <Tabs.Panel value="parameters">
          {Object.keys(parameters).length === 0 ? (
            <Text size="sm" c="dimmed" p="md">
              It was started without parameters.
            </Text>
          ) : (
            <JsonView value={parameters} path="params" />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="log">
          <LogView executionId={execution.id} run={execution.run} live={execution.endTime === null} />
        </Tabs.Panel>
        <Tabs.Panel value="attempts">
          <AttemptList execution={execution} />
        </Tabs.Panel>
      </Tabs>
    </Paper>
  );
}
