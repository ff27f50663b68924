import type { Variable, VariableItem } from "@contract/variable.ts";
import { queryOptions } from "@tanstack/react-query";
import { api } from "../../services/api.ts";
import { searchSource } from "../configuration/search-source.ts";

export const variableSource = searchSource<VariableItem>("variables", api.searchVariables);

export function variableQuery(id: string) {
  return queryOptions({
    queryKey: ["variables", "one", id],
    queryFn: async ({ signal }): Promise<Variable> =>
      (await api.getVariable({ params: { id }, signal })).data,
  });
}
