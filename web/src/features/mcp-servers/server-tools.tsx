import type { Discovery, McpServer } from "@contract/mcp-server.ts";
import { Button, Grid, Paper, Stack, Text } from "@mantine/core";
import { IconRadar2, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { formatDuration } from "../../components/time-format.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { type Fact, Facts } from "../configuration/facts.tsx";
import { Notice } from "../configuration/notice.tsx";
import { StepList } from "../configuration/step-list.tsx";
import { serverQuery } from "./queries.ts";
import { ToolList } from "./tool-list.tsx";
import { type DiscoveryRun, stepWords, useDiscovery } from "./use-discovery.ts";

const route = getRouteApi("/frame/mcp-servers/$serverId/");

/** The tools of a server, and the discovery that finds them. */
export function ServerTools() {
  const { serverId } = route.useParams();
  const { data: server } = useQuery(serverQuery(serverId));
  const discovery = useDiscovery(serverId);
  const mayDiscover = useCan()("AiService:McpServer:discover");
  if (!server) return null;
  const { added = [], changed = [] } = discovery.result?.changes ?? {};
  const button = mayDiscover && (
    <Button leftSection={<IconRadar2 size={16} />} loading={discovery.running} onClick={discovery.start}>
      Discover
    </Button>
  );
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }} order={{ base: 2, md: 1 }}>
        <Section title={server.toolCount === 1 ? "1 tool" : `${server.toolCount} tools`}>
          {server.discoveredTools.length > 0 ? (
            <ToolList tools={server.discoveredTools} added={added} changed={changed} />
          ) : (
            <Paper>
              <Empty
                icon={<IconServer2 size={34} stroke={1.4} />}
                title={server.status === "ONLINE" ? "It offers no tools" : "No tools are known yet"}
              >
                {server.status === "ONLINE"
                  ? "The last discovery found none."
                  : server.lastError
                    ? "The last discovery failed. Mend what it names, then discover the server again."
                    : "Discover the server: Pawl connects to it and lists its tools."}
              </Empty>
            </Paper>
          )}
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }} order={{ base: 1, md: 2 }}>
        <Stack gap="lg">
          <Section title="Discovery" actions={button}>
            <Paper p="md" aria-live="polite" aria-busy={discovery.running}>
              <DiscoveryReport discovery={discovery} server={server} />
            </Paper>
          </Section>
          <Section title="About">
            <Facts facts={factsOf(server)} />
          </Section>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function DiscoveryReport({ discovery, server }: { discovery: DiscoveryRun; server: McpServer }) {
  const { steps, result, error, running } = discovery;
  if (error) return <Fault error={error} title="It was not discovered" onRetry={discovery.start} />;
  if (steps.length === 0 && !running) {
    if (server.lastError) {
      return (
        <Notice tone="red" title={`The last discovery failed: ${stepWords[server.lastError.step]}`}>
          <Text size="sm" className="any-text">
            {server.lastError.message} <span className="mono">{server.lastError.code}</span>
          </Text>
          {server.toolCount > 0 && (
            <Text size="sm" mt="xs">
              The tools are those of the last good one.
            </Text>
          )}
        </Notice>
      );
    }
    return (
      <Text size="sm" c="dimmed">
        {server.lastCheckedAt
          ? "A discovery connects to the server, lists its tools and tells what changed since the last one."
          : "A discovery connects to the server and lists its tools, step by step. It calls none of them."}
      </Text>
    );
  }
  return (
    <Stack gap="sm">
      {result && <Outcome result={result} />}
      <StepList label="Steps of the discovery" words={stepWords} steps={steps} />
    </Stack>
  );
}

function Outcome({ result }: { result: Discovery }) {
  const good = result.status === "success";
  const { added, removed, changed } = result.changes;
  const same = added.length + removed.length + changed.length === 0;
  return (
    <Notice
      role="status"
      tone={good ? "green" : "red"}
      title={good ? "The server is online" : "The server is offline"}
    >
      <Text size="sm">
        {good
          ? `${result.toolCount} tools, in ${formatDuration(result.durationMs)}.`
          : "The last good tools stay."}
        {good && same && " Nothing has changed."}
      </Text>
      {[["New", added] as const, ["Changed", changed] as const, ["Gone", removed] as const].map(
        ([label, names]) =>
          names.length > 0 && (
            <Text key={label} size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
              <b>{label}</b> {names.slice(0, 20).join(", ")}
              {names.length > 20 && ` and ${names.length - 20} more`}
            </Text>
          ),
      )}
      {changed.length > 0 && (
        <Text size="sm" mt={4}>
          Agents use what changed again, now that it was discovered. Look at it first.
        </Text>
      )}
    </Notice>
  );
}

function factsOf(server: McpServer): Fact[] {
  const { serverInfo, protocolVersion, era, lastCheckedAt } = server;
  return [
    ["URL", <CopyText key="url" text={server.url} />],
    ["Authentication", server.authType === "NONE" ? "None" : `${server.authType}; credentials are sealed`],
    ...(serverInfo
      ? [["Calls itself", `${serverInfo.title ?? serverInfo.name} ${serverInfo.version}`] as Fact]
      : []),
    ...(protocolVersion
      ? [["Protocol", `${protocolVersion}${era === "legacy" ? ", with initialize" : ""}`] as Fact]
      : []),
    ["Discovered", lastCheckedAt ? <TimeText key="at" at={lastCheckedAt} /> : "never"],
    ["In a step", <CopyText key="id" text={server.id} label="Copy the id" />],
  ];
}
