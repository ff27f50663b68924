import type { AuditRecord } from "@contract/audit.ts";
import type { PrincipalRecord, TokenRecord } from "@contract/identity.ts";
import { queryOptions } from "@tanstack/react-query";
import type { Source } from "../../components/table/windows.ts";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const auditSource = searchSource<AuditRecord>("audit", api.searchAudit);

export const tokenSource: Source<TokenRecord> = {
  key: (page, size) => ["tokens", "list", page, size],
  async read(page, size, signal) {
    const { data, meta } = await api.listTokens({ query: { page, size }, signal });
    return { rows: data, total: meta.totalElements };
  },
};

export const principalSource: Source<PrincipalRecord> = {
  key: (page, size) => ["principals", "list", page, size],
  async read(page, size, signal) {
    const { data, meta } = await api.listPrincipals({ query: { page, size }, signal });
    return { rows: data, total: meta.totalElements };
  },
};

/** Everybody, to choose from. */
export const principalChoices = queryOptions({
  queryKey: ["principals", "list", "choices"],
  queryFn: async ({ signal }) => (await api.listPrincipals({ query: { size: 1000 }, signal })).data,
});

export function principalQuery(id: string) {
  return queryOptions({
    queryKey: ["principals", "one", id],
    queryFn: async ({ signal }) => (await api.getPrincipal({ params: { id }, signal })).data,
  });
}

/** The keys of the vault; looked at again and again while a rotation goes on. */
export const vaultQuery = queryOptions({
  queryKey: ["vault"],
  queryFn: async ({ signal }) => (await api.readVault({ signal })).data,
  refetchInterval: ({ state }) => (isRotating(state.data) ? 1_000 : 15_000),
});

export function isRotating(vault: { rotation: { finishedAt: string | null } | null } | undefined): boolean {
  return vault?.rotation?.finishedAt === null;
}

export const engineQuery = queryOptions({
  queryKey: ["engine"],
  queryFn: async ({ signal }) => (await api.readEngine({ signal })).data,
  refetchInterval: 2_000,
});
