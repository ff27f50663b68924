import type { StoredFile } from "@contract/file.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const fileSource = searchSource<StoredFile>("files", api.searchFiles);

export function fileQuery(id: string) {
  return queryOptions({
    queryKey: ["files", "one", id],
    queryFn: async ({ signal }): Promise<StoredFile> => (await api.getFile({ params: { id }, signal })).data,
  });
}

/** Where the browser gets the bytes from: as an attachment, whatever they are. */
export const contentOf = (id: string) => `/file/${id}/content`;
