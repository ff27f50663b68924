import type { ApiTemplate, ApiTemplateItem } from "@contract/api-template.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const templateSource = searchSource<ApiTemplateItem>("api-templates", api.searchApiTemplates);

export function templateQuery(id: string) {
  return queryOptions({
    queryKey: ["api-templates", "one", id],
    queryFn: async ({ signal }): Promise<ApiTemplate> =>
      (await api.getApiTemplate({ params: { id }, signal })).data,
  });
}
