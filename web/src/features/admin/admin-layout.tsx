import type { Authority } from "@contract/authorities.ts";
import { IconLock } from "@tabler/icons-react";
import { Navigate, Outlet } from "@tanstack/react-router";
import { Empty } from "../../components/empty.tsx";
import { LinkTabs } from "../../components/link-tabs.tsx";
import { Page } from "../../components/page.tsx";
import { type Can, useCan } from "../../services/session.tsx";

interface Tab {
  label: string;
  to: "/admin/tokens" | "/admin/principals" | "/admin/audit" | "/admin/system";
  /** Any of them will do. */
  some: Authority[];
}

const tabs: Tab[] = [
  {
    label: "Tokens",
    to: "/admin/tokens",
    some: ["IdentityService:Token:read", "IdentityService:Token:create"],
  },
  { label: "Principals", to: "/admin/principals", some: ["IdentityService:Principal:read"] },
  { label: "Audit", to: "/admin/audit", some: ["AdminService:Audit:read"] },
  {
    label: "System",
    to: "/admin/system",
    some: ["AdminService:Engine:read", "AdminService:Engine:drain", "AdminService:Vault:read"],
  },
];

const tabsOf = (can: Can) => tabs.filter(({ some }) => some.some((one) => can(one)));

/** What those see who look after Pawl, each the pages that they may. */
export function AdminLayout() {
  return (
    <Page title="Administration">
      <div>
        <LinkTabs label="Administration" tabs={tabsOf(useCan())} />
        <Outlet />
      </div>
    </Page>
  );
}

/** Leads to the first page that the caller may see. */
export function FirstAdminPage() {
  const [first] = tabsOf(useCan());
  if (first) return <Navigate to={first.to} replace />;
  return (
    <Empty icon={<IconLock size={34} stroke={1.4} />} title="Nothing for you here">
      Your rights do not cover tokens, principals, the audit record or the system.
    </Empty>
  );
}
