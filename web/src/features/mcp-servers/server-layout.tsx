import { Badge, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Outlet } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { LinkTabs } from "../../components/link-tabs.tsx";
import { Page } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { DeleteSays, isTold, usageQuery } from "../configuration/used-by.tsx";
import { serverQuery } from "./queries.ts";
import { ServerStatus } from "./server-status.tsx";

const route = getRouteApi("/frame/mcp-servers/$serverId");

/** What every page of a server has: its name, how it is, and the ways to its other pages. */
export function ServerLayout() {
  const { serverId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: server, error, refetch } = useQuery(serverQuery(serverId));
  useVisited(server && { kind: "mcpServer", id: server.id, name: server.name });
  if (error && !server) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!server) return <PageSkeleton />;
  const params = { serverId };
  const usage = usageQuery("mcp-servers", server.id, api.getMcpServerUsage);
  return (
    <Page
      title={server.name}
      above={<Above to="/mcp-servers">MCP servers</Above>}
      badge={
        <Group gap={6}>
          <ServerStatus status={server.status} />
          {server.tags.map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
        </Group>
      }
      about={server.description}
      actions={
        can("AiService:McpServer:delete") && (
          <DeleteButton
            noun="server"
            name={server.name}
            queryNoun="mcp-servers"
            says={<DeleteSays query={usage} gone="Its credentials and its tools are gone for good." />}
            run={() => api.deleteMcpServer({ params: { id: server.id }, query: { force: isTold(usage) } })}
            leave={() => navigate({ to: "/mcp-servers" })}
          />
        )
      }
    >
      <div>
        <LinkTabs
          label="Server"
          tabs={[
            { label: "Tools", to: "/mcp-servers/$serverId", params, exact: true },
            { label: "Settings", to: "/mcp-servers/$serverId/settings", params },
          ]}
        />
        <Outlet />
      </div>
    </Page>
  );
}
