import type { FastifyInstance } from "fastify";
import { takingBytes } from "../../http/bytes.ts";
import type { Principal } from "../../http/principal.ts";
import { route } from "../../http/route.ts";
import { noSuch, readNamed, removeNamed } from "../named.ts";
import { foundMessage, searchPage } from "../search.ts";
import { usageMessage } from "../usage.ts";
import { downloadFile } from "./download.ts";
import { presentFile } from "./present.ts";
import { type FileRow, fileFields, fileTexts } from "./store.ts";
import { type FileDeps, uploadFile } from "./upload.ts";

export function fileRoutes(app: FastifyInstance, deps: FileDeps): void {
  const { store, contents, usageOf } = deps;
  const read = (key: { id: string } | { name: string }) => readNamed<FileRow>(store, "file", key);

  takingBytes(app, (scope) => {
    route(scope, "uploadFile", async (call) => {
      const { principal, query, headers, body } = call;
      const file = { ...query, digests: headers, by: principal.name };
      const row = await uploadFile(deps, file, body);
      const created = row.version === 1;
      call.audit({
        target: { id: row.id, name: row.name },
        changed: ["content", ...(query.description === undefined ? [] : ["description"])],
      });
      return {
        data: presentFile(row),
        status: created ? 201 : 200,
        message: created ? "The file is created." : "The file is replaced.",
      };
    });
  });

  route(app, "listFileOptions", async () => ({
    body: (await store.options()).map(({ id, name }) => ({ label: name, value: id })),
  }));
  route(app, "searchFiles", async ({ body }) => {
    const { rows, meta } = await searchPage(fileFields, fileTexts, body, store.search);
    return { data: rows.map(presentFile), meta, message: foundMessage("file", meta) };
  });
  route(app, "getFile", async ({ params }) => ({
    data: presentFile(await read({ id: params.id })),
    message: "The file.",
  }));
  route(app, "getFileByName", async ({ params }) => ({
    data: presentFile(await read({ name: params.fileName })),
    message: "The file.",
  }));
  route(app, "fileExists", async ({ params, query }) => {
    const exists = await store.exists(params.name, query.id);
    return { data: exists, message: exists ? "There is one." : "There is none." };
  });
  route(app, "downloadFile", async ({ params, headers }) => ({
    download: downloadFile(store, await read({ id: params.id }), headers),
  }));

  route(app, "getFileUsage", async ({ principal, params }) => {
    const data = await usageOf(principal, [await read({ id: params.id })]);
    return { data, message: usageMessage("file", data) };
  });

  const remove = (principal: Principal, ids: readonly string[], force: boolean | undefined) =>
    removeNamed<FileRow>(store, ids, {
      unless: force ? undefined : { noun: "file", principal, usageOf },
      release: (client, rows) =>
        contents.release(
          client,
          rows.map(({ contentId }) => contentId),
        ),
    });
  route(app, "deleteFile", async (call) => {
    const [removed] = (await remove(call.principal, [call.params.id], call.query.force)).removed;
    if (!removed) throw noSuch("file");
    call.audit({ target: { id: removed.id, name: removed.name } });
    return { data: null, message: "The file is deleted." };
  });
  route(app, "deleteFiles", async (call) => {
    const { removed, answer } = await remove(call.principal, call.body.ids, call.query.force);
    for (const { id, name } of removed) call.audit({ target: { id, name } });
    const missing = answer.notFound.length === 0 ? "" : ` Not found: ${answer.notFound.length}.`;
    return { data: answer, message: `Deleted: ${answer.deleted.length}.${missing}` };
  });
}
