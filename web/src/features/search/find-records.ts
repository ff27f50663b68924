import type { Authority } from "@contract/authorities.ts";
import type { FilterRequest } from "@contract/search.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import type { RecentRecord } from "../../services/recents.ts";
import type { Can } from "../../services/session.tsx";
import { type Found, isId } from "./find.ts";

/** Of each kind. */
const few = 3;
const most = 10;

interface RecordKind {
  needs: Authority;
  search(text: string, signal: AbortSignal): Promise<Found[]>;
  read(id: string, signal: AbortSignal): Promise<Found>;
}

type Named = { id: string; name: string };

function recordKind<Item extends Named, One extends Item>(
  kind: RecentRecord,
  needs: Authority,
  search: (call: { body: FilterRequest; signal: AbortSignal }) => Promise<{ data: Item[] }>,
  get: (call: { params: { id: string }; signal: AbortSignal }) => Promise<{ data: One }>,
  about: (item: Item) => string,
): RecordKind {
  const found = (item: Item): Found => ({ kind, id: item.id, name: item.name, about: about(item) });
  return {
    needs,
    async search(searchText, signal) {
      const { data } = await search({ body: { searchText, sortBy: "relevance", size: few }, signal });
      return data.map(found);
    },
    read: async (id, signal) => found((await get({ params: { id }, signal })).data),
  };
}

const described = ({ description }: { description: string }) => description;

const recordKinds = [
  recordKind(
    "connection",
    "ConfigService:Connection:read",
    api.searchConnections,
    api.getConnection,
    ({ connectionType }) => connectionType,
  ),
  recordKind(
    "mcpServer",
    "AiService:McpServer:read",
    api.searchMcpServers,
    api.getMcpServer,
    ({ description, url }) => description || url,
  ),
  recordKind(
    "variable",
    "ConfigService:GlobalVariable:read",
    api.searchVariables,
    api.getVariable,
    described,
  ),
  recordKind("dataset", "ConfigService:Dataset:read", api.searchDatasets, api.getDataset, described),
  recordKind("file", "ConfigService:File:read", api.searchFiles, api.getFile, described),
  recordKind(
    "certificate",
    "ConfigService:Certificate:read",
    api.searchCertificates,
    api.getCertificate,
    described,
  ),
  recordKind(
    "apiTemplate",
    "ConfigService:ApiTemplate:read",
    api.searchApiTemplates,
    api.getApiTemplate,
    ({ method, path }) => `${method} ${path}`,
  ),
];

/**
 * What jobs use that the text finds, a few of each kind that the caller may read. Apart from the search over jobs: that is
 * never to wait for these.
 */
export function findRecordsQuery(text: string, can: Can) {
  return queryOptions({
    queryKey: keys.search(text, "records"),
    queryFn: async ({ signal }): Promise<Found[]> => {
      const asked = recordKinds.filter(({ needs }) => can(needs));
      if (isId(text)) {
        const read = await Promise.allSettled(asked.map((kind) => kind.read(text, signal)));
        return read.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      }
      const lists = await Promise.all(asked.map((kind) => kind.search(text, signal)));
      return bestOf(lists, text.toLowerCase());
    },
  });
}

/** Names that begin with the text first, as in each of the lists; then the best of every kind before its second. */
function bestOf(lists: Found[][], text: string): Found[] {
  const ranked = lists.flatMap((found) =>
    found.map((hit, place) => ({ hit, place, rank: hit.name.toLowerCase().startsWith(text) ? 0 : 1 })),
  );
  return ranked
    .toSorted((a, b) => a.rank - b.rank || a.place - b.place)
    .slice(0, most)
    .map(({ hit }) => hit);
}
