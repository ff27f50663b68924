import type { FastifyInstance } from "fastify";
import { takingBytes } from "../../http/bytes.ts";
import type { Principal } from "../../http/principal.ts";
import { route } from "../../http/route.ts";
import { noSuch, readNamed, removeNamed } from "../named.ts";
import { foundMessage, searchPage } from "../search.ts";
import { usageMessage } from "../usage.ts";
import { appendRows } from "./append.ts";
import { exportDataset } from "./export.ts";
import { presentDataset } from "./present.ts";
import { searchRows } from "./read.ts";
import { type DatasetRecord, datasetFields, datasetTexts } from "./store.ts";
import { type DatasetDeps, uploadDataset } from "./upload.ts";
import { upsertDataset } from "./upsert.ts";

/** Registers the routes of datasets. */
export function datasetRoutes(app: FastifyInstance, deps: DatasetDeps): void {
  const { store, rows, contents, usageOf } = deps;
  const read = (key: { id: string } | { name: string }) => readNamed<DatasetRecord>(store, "dataset", key);

  takingBytes(app, (scope) => {
    route(scope, "uploadDataset", async (call) => {
      const { principal, query, body } = call;
      const dataset = await uploadDataset(deps, { ...query, by: principal.name }, body);
      const created = dataset.version === 1;
      call.audit({ target: { id: dataset.id, name: dataset.name }, changed: ["columns", "rows"] });
      return {
        data: presentDataset(dataset),
        status: created ? 201 : 200,
        message: `The dataset is ${created ? "created" : "replaced"}. Rows: ${dataset.rowCount}.`,
      };
    });
  });

  route(app, "upsertDataset", async (call) => {
    const { principal, body, query } = call;
    const { dataset, outcome, changed } = await upsertDataset(deps, principal, body, query.expectedVersion);
    call.audit({ target: { id: dataset.id, name: dataset.name }, changed });
    return {
      data: presentDataset(dataset),
      message: outcome === "unchanged" ? "The dataset is as it was." : `The dataset is ${outcome}.`,
      status: outcome === "created" ? 201 : 200,
    };
  });
  route(app, "getDataset", async ({ params }) => ({
    data: presentDataset(await read({ id: params.id })),
    message: "The dataset.",
  }));
  route(app, "getDatasetByName", async ({ params }) => ({
    data: presentDataset(await read({ name: params.datasetName })),
    message: "The dataset.",
  }));
  route(app, "datasetExists", async ({ params, query }) => {
    const data = await store.exists(params.name, query.id);
    return {
      data,
      message: data ? "There is a dataset of this name." : "There is no dataset of this name.",
    };
  });
  route(app, "searchDatasets", async ({ body }) => {
    const { rows, meta } = await searchPage(datasetFields, datasetTexts, body, store.search);
    return { data: rows.map(presentDataset), meta, message: foundMessage("dataset", meta) };
  });
  route(app, "listDatasetOptions", async () => ({
    body: (await store.options()).map(({ id, name }) => ({ label: name, value: id })),
  }));

  route(app, "searchDatasetRows", async ({ params, body }) => {
    const found = await searchRows(rows, await read({ id: params.id }), body);
    return { data: found.rows, meta: found.meta, message: foundMessage("row", found.meta) };
  });
  route(app, "appendDatasetRows", async (call) => {
    const dataset = await appendRows(deps, call.principal.name, call.params.id, call.body.rows);
    call.audit({ target: { id: dataset.id, name: dataset.name }, changed: ["rows"] });
    return { data: presentDataset(dataset), message: `Rows appended: ${call.body.rows.length}.` };
  });
  route(app, "exportDataset", async ({ params, query }) => ({
    download: exportDataset(rows, await read({ id: params.id }), query),
  }));

  route(app, "getDatasetUsage", async ({ principal, params }) => {
    const data = await usageOf(principal, [await read({ id: params.id })]);
    return { data, message: usageMessage("dataset", data) };
  });

  const remove = (principal: Principal, ids: readonly string[], force: boolean | undefined) =>
    removeNamed<DatasetRecord>(store, ids, {
      unless: force ? undefined : { noun: "dataset", principal, usageOf },
      release: (client, rows) =>
        contents.release(
          client,
          rows.map(({ contentId }) => contentId),
        ),
    });
  route(app, "deleteDataset", async (call) => {
    const [removed] = (await remove(call.principal, [call.params.id], call.query.force)).removed;
    if (!removed) throw noSuch("dataset");
    call.audit({ target: { id: removed.id, name: removed.name } });
    return { data: null, message: "The dataset is deleted." };
  });
  route(app, "deleteDatasets", async (call) => {
    const { removed, answer } = await remove(call.principal, call.body.ids, call.query.force);
    for (const { id, name } of removed) call.audit({ target: { id, name } });
    const missing = answer.notFound.length === 0 ? "" : ` Not found: ${answer.notFound.length}.`;
    return { data: answer, message: `Deleted: ${answer.deleted.length}.${missing}` };
  });
}
