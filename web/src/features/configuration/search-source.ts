import type { FilterRequest } from "@contract/search.ts";
import type { Meta } from "@contract/shapes.ts";
import type { Source } from "../../components/table/windows.ts";

type Search<T> = (call: { body: FilterRequest; signal: AbortSignal }) => Promise<{ data: T[]; meta: Meta }>;

/** Where a table gets what a search finds. Its keys begin with the noun: invalidating that reads the lists anew. */
export function searchSource<T>(noun: string, search: Search<T>): (request: FilterRequest) => Source<T> {
  return (request) => ({
    key: (page, size) => [noun, "list", { ...request, page, size }],
    async read(page, size, signal) {
      const { data, meta } = await search({ body: { ...request, page, size }, signal });
      return { rows: data, total: meta.totalElements };
    },
  });
}
