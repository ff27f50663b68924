import Type from "typebox";
import { AuditRecord, AuditVerdict, AuditVerification } from "./audit.ts";
import { EngineState } from "./engine-state.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Meta } from "./shapes.ts";
import { RewrapResult, VaultState } from "./vault.ts";

/** How the engine is, the keys of the vault, and who did what. */
export const adminRoutes = {
  readEngine: {
    method: "GET",
    path: "/admin/engine",
    access: "AdminService:Engine:read",
    tag: "Administration",
    summary: "Whether this process takes work, and how much it has",
    data: EngineState,
    errors: [],
  },
  readVault: {
    method: "GET",
    path: "/admin/vault",
    access: "AdminService:Vault:read",
    tag: "Administration",
    summary: "The keys that seal secrets, and how far a rotation is",
    data: VaultState,
    errors: [],
  },
  rotateVault: {
    method: "POST",
    path: "/admin/vault/rotate",
    access: "AdminService:Vault:rotate",
    tag: "Administration",
    audits: "vault",
    summary: "Make a new key, and seal everything anew with it in the background",
    description: "It goes on over crashes. `GET /admin/vault` shows how far it is.",
    data: VaultState,
    status: 202,
    errors: ["INVALID_STATE"],
  },
  rewrapVault: {
    method: "POST",
    path: "/admin/vault/rewrap",
    access: "AdminService:Vault:rotate",
    tag: "Administration",
    audits: "vault",
    summary: "Put the new master key in the place of the previous one",
    description:
      "Pawl must have been started with both (PAWL_MASTER_KEY, PAWL_MASTER_KEY_PREVIOUS). The values stay as they are.",
    data: RewrapResult,
    errors: ["INVALID_STATE"],
  },
  searchAudit: {
    method: "POST",
    path: "/audit/search",
    access: "AdminService:Audit:read",
    tag: "Administration",
    summary: "Find who did what to which record",
    description: `searchText is looked for in targetName, action and principal. Fields to filter and sort by: ${searchFields.searchAudit.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(AuditRecord),
    meta: Meta,
    errors: ["OVERLOADED"],
  },
  verifyAudit: {
    method: "POST",
    path: "/audit/verify",
    access: "AdminService:Audit:read",
    tag: "Administration",
    summary: "Whether a line of the audit record was altered, put in or taken out",
    description: "Reads all of it. One at a time; another call meanwhile answers 503.",
    body: AuditVerification,
    data: AuditVerdict,
    errors: ["OVERLOADED"],
  },
} as const satisfies Record<string, Route>;
