import type { Client } from "./client/client.ts";
import type { Configuration } from "./compose-configuration.ts";
import { addRows, readRows } from "./configuration/dataset/read.ts";
import { openFile, writeFile } from "./configuration/file/open.ts";
import { findByIdOrName } from "./configuration/named.ts";
import type { NamedRow, NamedStore } from "./configuration/named-store.ts";
import type { ApiTemplate } from "./contract/api-template.ts";
import { ApiError } from "./contract/errors.ts";
import type { FilterRequest } from "./contract/search.ts";
import type { ResourceKind } from "./jobs/step-type.ts";
import { StepError } from "./lib/step-error.ts";
import type { StepResources } from "./plugins/resources.ts";

type RecordKind = Exclude<ResourceKind, "certificate" | "mcpServer">;

/** What is needed of an API template to fill it in. */
type Template = Pick<ApiTemplate, "name" | "connectionType" | "method" | "path"> & {
  definition: Pick<ApiTemplate, "headers" | "query" | "body" | "parameters">;
};

/** API templates, datasets and files, each by id or name: of this process, or of another Pawl. Nothing here throws StepError. */
export interface RecordService
  extends Pick<StepResources, "readRows" | "addRows" | "openFile" | "writeFile"> {
  has(kind: RecordKind, idOrName: string): Promise<boolean>;
  /** @throws ApiError or ClientError NOT_FOUND */
  readApiTemplate(idOrName: string, asker: { executionId: string; signal: AbortSignal }): Promise<Template>;
}

/** Those of this process. */
export function recordsInProcess(configuration: Configuration): RecordService {
  const { apiTemplates, datasets, files } = configuration;
  const stores: Record<RecordKind, { store: unknown }> = {
    apiTemplate: apiTemplates,
    dataset: datasets,
    file: files,
  };
  const by = (jobName: string) => `job ${jobName}`;
  return {
    has: async (kind, idOrName) =>
      (await findByIdOrName(stores[kind].store as NamedStore<NamedRow>, idOrName)) !== undefined,
    async readApiTemplate(idOrName) {
      const row = await findByIdOrName(apiTemplates.store, idOrName);
      if (!row) throw noSuch("API template");
      return row as Template;
    },
    readRows: (idOrName, request) => readRows(datasets, idOrName, request),
    addRows: (idOrName, rows, { jobName }) => addRows(datasets, idOrName, rows, by(jobName)),
    openFile: (idOrName) => openFile(files, idOrName),
    writeFile: (file, bytes, { jobName }) => writeFile(files, { ...file, by: by(jobName) }, once(bytes)),
  };
}

/** Those of another Pawl, over HTTP. */
export function remoteRecords(
  clientFor: (executionId: string) => Client,
  ifThere: <T>(ask: () => Promise<T | undefined>) => Promise<T | undefined>,
): RecordService {
  const searches = {
    apiTemplate: (client: Client) => client.searchApiTemplates,
    dataset: (client: Client) => client.searchDatasets,
    file: (client: Client) => client.searchFiles,
  };

  return {
    has: async (kind, idOrName) => {
      const search = searches[kind](clientFor("none: a job is saved")) as Search<{ id: string }>;
      return (await ifThere(() => searchById(search, idOrName))) !== undefined;
    },
    async readApiTemplate(idOrName, { executionId, signal }) {
      const client = clientFor(executionId);
      const item = await searchById(client.searchApiTemplates, idOrName, signal);
      if (!item) throw noSuch("API template");
      const { data } = await client.getApiTemplate({ params: { id: item.id }, signal });
      const { headers, query, body, parameters, ...known } = data;
      return { ...known, definition: { headers, query, body, parameters } };
    },
    async readRows(idOrName, request, { executionId, signal }) {
      const client = clientFor(executionId);
      const { id, columns } = await dataset(client, idOrName, signal);
      const { data, meta } = await client.searchDatasetRows({ params: { id }, body: request, signal });
      return { columns, rows: data, total: meta.totalElements };
    },
    async addRows(idOrName, rows, { executionId, signal }) {
      const client = clientFor(executionId);
      const { id, rowCount } = await dataset(client, idOrName, signal);
      if (rows.length === 0) return rowCount;
      const { data } = await client.appendDatasetRows({ params: { id }, body: { rows: [...rows] }, signal });
      return data.rowCount;
    },
    async openFile(idOrName, { executionId, signal }) {
      const client = clientFor(executionId);
      const file = await searchById(client.searchFiles, idOrName, signal);
      if (!file) throw noSuch("file");
      return {
        file,
        bytes: {
          async *[Symbol.asyncIterator]() {
            const { data, headers } = await client.downloadFile({ params: { id: file.id }, signal });
            // What was said of it would not be true of these bytes.
            if (headers.get("etag") !== `"${file.sha256}"`) throw replacedMeanwhile(file.name);
            yield* data;
          },
        },
      };
    },
    async writeFile({ contentType, ...query }, bytes, { executionId, signal }) {
      const content = new Uint8Array(bytes);
      const sent = { type: contentType, content };
      return (await clientFor(executionId).uploadFile({ query, bytes: sent, signal })).data;
    },
  };
}

type Search<Item> = (request: { body: FilterRequest; signal?: AbortSignal }) => Promise<{ data: Item[] }>;

/** The record of this id, or else of this name. By a search, since not every name can stand in a path. */
export async function searchById<Item extends { id: string }>(
  search: Search<Item>,
  idOrName: string,
  signal?: AbortSignal,
): Promise<Item | undefined> {
  const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrName);
  for (const field of isId ? ["id", "name"] : ["name"]) {
    const constraints = [{ value: idOrName, matchMode: "equals" as const }];
    const filters = { [field]: { operator: "and" as const, constraints } };
    const { data } = await search({ body: { filters, size: 1 }, ...(signal ? { signal } : {}) });
    if (data[0]) return data[0];
  }
  return undefined;
}

async function dataset(client: Client, idOrName: string, signal: AbortSignal) {
  const found = await searchById(client.searchDatasets, idOrName, signal);
  if (!found) throw noSuch("dataset");
  return found;
}

function noSuch(noun: string): ApiError {
  return new ApiError("NOT_FOUND", `There is no such ${noun}.`);
}

function replacedMeanwhile(name: string): StepError {
  const message = `The file "${name}" was replaced while the step read it. Run the step again.`;
  return new StepError("RECORD_REFUSED", message, { retryable: true });
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
