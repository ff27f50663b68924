import type { Connection, ConnectionItem } from "@contract/connection.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const connectionSource = searchSource<ConnectionItem>("connections", api.searchConnections);

/** The types of connections with their fields: they change with the server only. */
export const connectionTypesQuery = queryOptions({
  queryKey: ["connection-types"],
  queryFn: async ({ signal }) => (await api.listConnectionTypes({ signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});

export function connectionQuery(id: string) {
  return queryOptions({
    queryKey: ["connections", "one", id],
    queryFn: async ({ signal }): Promise<Connection> =>
      (await api.getConnection({ params: { id }, signal })).data,
  });
}
