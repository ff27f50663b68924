import { type McpServerItem, mcpAuthTypes } from "@contract/mcp-server.ts";
import { Button } from "@mantine/core";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { McpPage } from "./mcp-page.tsx";
import { serverSource } from "./queries.ts";
import { ServerStatus } from "./server-status.tsx";

const route = getRouteApi("/frame/mcp-servers");

const fields: FilterField[] = [
  {
    name: "status",
    label: "Status",
    kind: "choice",
    options: [
      { value: "ONLINE", label: "Online" },
      { value: "OFFLINE", label: "Offline" },
      { value: "UNKNOWN", label: "Not discovered" },
    ],
  },
  { name: "name", label: "Name", kind: "text" },
  { name: "url", label: "URL", kind: "text" },
  { name: "description", label: "Description", kind: "text" },
  { name: "tags", label: "Tag", kind: "tags" },
  {
    name: "authType",
    label: "Authentication",
    kind: "choice",
    options: mcpAuthTypes.map((value) => ({ value, label: value })),
  },
  { name: "toolCount", label: "Tools", kind: "number" },
  { name: "lastCheckedAt", label: "Discovered", kind: "time" },
];

const columns: Column<McpServerItem>[] = [
  {
    id: "name",
    header: "Name",
    width: "26%",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/mcp-servers/$serverId" params={{ serverId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "url",
    header: "URL",
    sort: "url",
    phone: "meta",
    cell: ({ url }) => <span className="mono">{url}</span>,
  },
  {
    id: "status",
    header: "Status",
    width: "150px",
    sort: "status",
    phone: "aside",
    cell: ({ status }) => <ServerStatus status={status} />,
  },
  {
    id: "tools",
    header: "Tools",
    width: "80px",
    align: "right",
    sort: "toolCount",
    sortFirst: "desc",
    cell: ({ toolCount }) => toolCount,
  },
  {
    id: "checked",
    header: "Discovered",
    width: "130px",
    sort: "lastCheckedAt",
    sortFirst: "desc",
    cell: ({ lastCheckedAt }) => (lastCheckedAt ? <TimeText at={lastCheckedAt} ago /> : "never"),
  },
];

/** The external MCP servers whose tools steps may use. */
export function McpServersPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const can = useCan();
  const may = can("AiService:McpServer:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/mcp-servers/new" {...props} />}
    >
      Register a server
    </Button>
  );
  return (
    <McpPage actions={add}>
      <RecordTable
        label="MCP servers"
        search="Search servers by name or description"
        icon={IconServer2}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={serverSource}
        sort="name"
        rowKey={({ id }) => id}
        none={{
          title: "No MCP servers yet",
          says: may
            ? "Register one by its URL, then discover it: its tools can be called by steps and used by agents."
            : "As soon as somebody registers one, it shows up here.",
          action: add,
        }}
      />
    </McpPage>
  );
}
