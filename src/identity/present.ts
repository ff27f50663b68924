import type { PrincipalRecord, TokenRecord, WhoAmI } from "../contract/identity.ts";
import type { Principal } from "../http/principal.ts";
import type { PrincipalRow, TokenRow } from "./store.ts";

export function presentPrincipal(row: PrincipalRow): PrincipalRecord {
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    authorities: row.authorities,
    jobs: row.job_limits,
    externalId: row.external_id,
    createdAt: row.created_at.toISOString(),
  };
}

export function presentToken(row: TokenRow): TokenRecord {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    principalId: row.principal_id,
    principalName: row.principal_name,
    for: row.audience,
    scopes: row.scopes,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at?.toISOString() ?? null,
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  };
}

export function presentCaller({ id, name, authorities, jobs }: Principal): WhoAmI {
  return { id, name, authorities: [...authorities], jobs };
}
