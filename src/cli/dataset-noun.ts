import type { Dataset } from "../contract/dataset.ts";
import type { Noun } from "./named.ts";

export const datasets: Noun<Dataset> = {
  command: "dataset",
  word: "dataset",
  search: ({ client }, body) => client.searchDatasets({ body }),
  remove: ({ client }, id, force) => client.deleteDataset({ params: { id }, query: { force } }),
};
