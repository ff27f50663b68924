import type { McpServerStatus } from "@contract/mcp-server.ts";
import { IconCircleCheckFilled, IconCircleDashed, IconCircleX } from "@tabler/icons-react";
import { ToneBadge } from "../configuration/tone-badge.tsx";

const looks = {
  ONLINE: { label: "Online", tone: "green", icon: IconCircleCheckFilled },
  OFFLINE: { label: "Offline", tone: "red", icon: IconCircleX },
  UNKNOWN: { label: "Not discovered", tone: "gray", icon: IconCircleDashed },
} as const;

/** What the last discovery of a server came to. */
export function ServerStatus({ status }: { status: McpServerStatus }) {
  return <ToneBadge {...looks[status]} />;
}
