import type { ReactNode } from "react";
import { type LinkTab, LinkTabs } from "../../components/link-tabs.tsx";
import { Page } from "../../components/page.tsx";
import { useCan } from "../../services/session.tsx";

/** The two sides of MCP: servers whose tools Pawl uses, and the bridge by which assistants use Pawl. */
export function McpPage({ actions, children }: { actions?: ReactNode; children: ReactNode }) {
  const can = useCan();
  const tabs: LinkTab[] = [
    ...(can("AiService:McpServer:read")
      ? [{ label: "Servers", to: "/mcp-servers" as const, exact: true }]
      : []),
    ...(can("AiService:McpBridge:read")
      ? [{ label: "Bridge for assistants", to: "/mcp-servers/bridge" as const }]
      : []),
  ];
  return (
    <Page
      title="MCP"
      about="Servers whose tools steps use, and the bridge by which assistants run jobs."
      actions={actions}
    >
      <div>
        <LinkTabs label="MCP" tabs={tabs} />
        {children}
      </div>
    </Page>
  );
}
