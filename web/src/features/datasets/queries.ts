import type { Dataset } from "@contract/dataset.ts";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { RowsSearch } from "../../routes/configuration.ts";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const datasetSource = searchSource<Dataset>("datasets", api.searchDatasets);

export function datasetQuery(id: string) {
  return queryOptions({
    queryKey: ["datasets", "one", id],
    queryFn: async ({ signal }): Promise<Dataset> => (await api.getDataset({ params: { id }, signal })).data,
  });
}

export const rowsPerPage = 50;

/** A page of the rows of a dataset, as the address asks for them. */
export function rowsQuery({ id, version }: Dataset, { q, sort, page = 0 }: RowsSearch) {
  return queryOptions({
    queryKey: ["datasets", "rows", id, version, q, sort, page],
    queryFn: async ({ signal }) => {
      const descending = sort?.startsWith("-") ?? false;
      const body = {
        page,
        size: rowsPerPage,
        ...(q ? { searchText: q } : {}),
        ...(sort
          ? {
              sortBy: descending ? sort.slice(1) : sort,
              sortOrder: descending ? ("desc" as const) : ("asc" as const),
            }
          : {}),
      };
      const { data, meta } = await api.searchDatasetRows({ params: { id }, body, signal });
      return { rows: data, total: meta.totalElements };
    },
    placeholderData: keepPreviousData,
  });
}
