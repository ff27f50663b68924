import { Grid, Paper, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Section } from "../../components/page.tsx";
import { api } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { changesOf, Facts } from "../configuration/facts.tsx";
import { UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { serverQuery } from "./queries.ts";
import { ServerForm } from "./server-form.tsx";

const route = getRouteApi("/frame/mcp-servers/$serverId/settings");

export function ServerSettings() {
  const { serverId } = route.useParams();
  const { data: server } = useQuery(serverQuery(serverId));
  const may = useCan()("AiService:McpServer:upsert");
  if (!server) return null;
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Section title="Settings">
          <Paper p="lg">
            <ServerForm key={server.id} server={server} readOnly={!may} />
          </Paper>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Stack gap="lg">
          <UsedBy
            query={usageQuery("mcp-servers", server.id, api.getMcpServerUsage)}
            hint="An mcp-tool step, or an agent, names it by its id or its name."
          />
          <Section title="About">
            <Facts facts={[["Id", <CopyText key="id" text={server.id} />], ...changesOf(server)]} />
          </Section>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}
