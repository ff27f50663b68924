import type { Authority } from "@contract/authorities.ts";
import {
  IconCertificate,
  IconFiles,
  IconHandStop,
  IconHome,
  IconPlayerPlay,
  IconPlugConnected,
  IconRoute,
  IconServer2,
  IconSettings,
  IconTable,
  IconTemplate,
  IconVariable,
} from "@tabler/icons-react";
import type { IconType } from "../icon.ts";

/** A place in the navigation, for those who may go there. */
export interface Place {
  label: string;
  to:
    | "/"
    | "/jobs"
    | "/executions"
    | "/approvals"
    | "/connections"
    | "/variables"
    | "/certificates"
    | "/datasets"
    | "/files"
    | "/api-templates"
    | "/mcp-servers"
    | "/mcp-servers/bridge"
    | "/admin";
  icon: IconType;
  /** All of them. */
  needs: Authority[];
  /** And one of these. */
  some?: Authority[];
  /** The heading that it stands under. */
  part?: "Configuration" | "Assistants" | "Pawl";
}

const configuration = "Configuration";

export const places: Place[] = [
  { label: "Home", to: "/", icon: IconHome, needs: [] },
  { label: "Jobs", to: "/jobs", icon: IconRoute, needs: ["JobService:Job:read"] },
  { label: "Executions", to: "/executions", icon: IconPlayerPlay, needs: ["JobService:JobExecution:read"] },
  { label: "Approvals", to: "/approvals", icon: IconHandStop, needs: ["JobService:JobExecution:approve"] },
  {
    label: "Connections",
    to: "/connections",
    icon: IconPlugConnected,
    needs: ["ConfigService:Connection:read"],
    part: configuration,
  },
  {
    label: "Variables",
    to: "/variables",
    icon: IconVariable,
    needs: ["ConfigService:GlobalVariable:read"],
    part: configuration,
  },
  {
    label: "Certificates",
    to: "/certificates",
    icon: IconCertificate,
    needs: ["ConfigService:Certificate:read"],
    part: configuration,
  },
  {
    label: "Datasets",
    to: "/datasets",
    icon: IconTable,
    needs: ["ConfigService:Dataset:read"],
    part: configuration,
  },
  { label: "Files", to: "/files", icon: IconFiles, needs: ["ConfigService:File:read"], part: configuration },
  {
    label: "API templates",
    to: "/api-templates",
    icon: IconTemplate,
    needs: ["ConfigService:ApiTemplate:read"],
    part: configuration,
  },
  {
    label: "MCP",
    to: "/mcp-servers",
    icon: IconServer2,
    needs: ["AiService:McpServer:read"],
    part: "Assistants",
  },
  {
    label: "Administration",
    to: "/admin",
    icon: IconSettings,
    needs: [],
    some: [
      "IdentityService:Token:read",
      "IdentityService:Token:create",
      "IdentityService:Principal:read",
      "AdminService:Audit:read",
      "AdminService:Engine:read",
      "AdminService:Engine:drain",
      "AdminService:Vault:read",
    ],
    part: "Pawl",
  },
];

/** Where somebody with these rights may go. */
export function placesFor(can: (...needed: Authority[]) => boolean): Place[] {
  return places.filter(({ needs, some }) => can(...needs) && (!some || some.some((one) => can(one))));
}
