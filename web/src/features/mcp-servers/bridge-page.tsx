import type { BridgeCheck, BridgeHealth } from "@contract/bridge.ts";
import { Anchor, Code, Grid, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheckFilled, IconCircleX } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { Facts } from "../configuration/facts.tsx";
import { Notice } from "../configuration/notice.tsx";
import { type ShownStep, StepList } from "../configuration/step-list.tsx";
import { McpPage } from "./mcp-page.tsx";
import { bridgeHealthQuery } from "./queries.ts";
import { Snippets } from "./snippets.tsx";

/** Whether assistants can use Pawl, and how to let one. */
export function BridgePage() {
  const { data: health, error, refetch } = useQuery(bridgeHealthQuery);
  return (
    <McpPage>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Section title="Health">
            {error && !health && <Fault error={error} onRetry={() => void refetch()} />}
            {!health && !error && <Skeleton height={220} radius="lg" />}
            {health && <Health health={health} />}
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Connect an assistant">
            <Paper p="md">
              <Stack gap="md">
                <TokenHint />
                <Snippets />
              </Stack>
            </Paper>
          </Section>
        </Grid.Col>
      </Grid>
    </McpPage>
  );
}

function TokenHint() {
  const may = useCan()("IdentityService:Token:create");
  return (
    <Text size="sm">
      An assistant acts as one user, within the scopes of its token.{" "}
      {may ? (
        <>
          <Anchor component={Link} to="/admin/tokens" inherit underline="always">
            Make a token for MCP
          </Anchor>{" "}
          first: it is shown once, and goes where the snippet has <Code>pawl_mcp_…</Code>
        </>
      ) : (
        <>
          Ask an administrator for a token for MCP: it goes where the snippet has <Code>pawl_mcp_…</Code>
        </>
      )}
    </Text>
  );
}

const looks = {
  Healthy: { tone: "green", icon: IconCircleCheckFilled },
  Unavailable: { tone: "red", icon: IconCircleX },
  Misconfigured: { tone: "amber", icon: IconAlertTriangle },
} as const;

const checkLooks: Record<BridgeCheck["status"], ShownStep["status"]> = {
  PASS: "SUCCESS",
  FAIL: "FAILED",
  SKIPPED: "SKIPPED",
};

function Health({ health }: { health: BridgeHealth }) {
  const { tone, icon: Icon } = looks[health.status];
  return (
    <Stack gap="md">
      <Notice tone={tone} icon={Icon} title={health.status} role="status">
        {health.message}
      </Notice>
      <Paper p="md">
        <StepList
          label="Checks of the bridge"
          steps={health.checks.map(({ name, status, latencyMs, code, message }) => ({
            name,
            status: checkLooks[status],
            message,
            code,
            durationMs: latencyMs,
          }))}
        />
      </Paper>
      <Facts
        facts={[
          ["Address", <CopyText key="url" text={`${location.origin}/mcp`} />],
          ["Version", health.version ?? "unknown: it does not answer"],
          ["Protocol", health.protocolVersions.join(", ") || "–"],
          ["Checked", <TimeText key="at" at={health.checkedAt} ago />],
        ]}
      />
    </Stack>
  );
}
