import type { Authority } from "@contract/authorities.ts";
import { IconHandStop, IconHome, IconPlayerPlay, IconRoute } from "@tabler/icons-react";
import type { IconType } from "../icon.ts";

/** A place in the navigation, for those who may go there. */
export interface Place {
  label: string;
  to: "/" | "/jobs" | "/executions" | "/approvals";
  icon: IconType;
  needs: Authority[];
}

export const places: Place[] = [
  { label: "Home", to: "/", icon: IconHome, needs: [] },
  { label: "Jobs", to: "/jobs", icon: IconRoute, needs: ["JobService:Job:read"] },
  { label: "Executions", to: "/executions", icon: IconPlayerPlay, needs: ["JobService:JobExecution:read"] },
  { label: "Approvals", to: "/approvals", icon: IconHandStop, needs: ["JobService:JobExecution:approve"] },
];
