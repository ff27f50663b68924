import { Paper } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { Above } from "../configuration/above.tsx";
import { ServerForm } from "./server-form.tsx";

export function NewServerPage() {
  const navigate = useNavigate();
  return (
    <Page
      title="Register an MCP server"
      above={<Above to="/mcp-servers">MCP servers</Above>}
      about="Nothing is asked of the server yet: discover it afterwards to see its tools."
    >
      <Paper p="lg" maw={760}>
        <ServerForm
          onSaved={({ id }) => navigate({ to: "/mcp-servers/$serverId", params: { serverId: id } })}
        />
      </Paper>
    </Page>
  );
}
