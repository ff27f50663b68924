import type { FastifyInstance } from "fastify";
import type { Principal } from "../../http/principal.ts";
import { route } from "../../http/route.ts";
import { noSuch, readNamed, removeNamed } from "../named.ts";
import { foundMessage, searchPage } from "../search.ts";
import { usageMessage } from "../usage.ts";
import { presentApiTemplate, presentApiTemplateItem } from "./present.ts";
import { type ApiTemplateRow, apiTemplateFields, apiTemplateTexts } from "./store.ts";
import { type ApiTemplateDeps, upsertApiTemplate } from "./upsert.ts";

/** Registers the routes of API templates. */
export function apiTemplateRoutes(app: FastifyInstance, deps: ApiTemplateDeps): void {
  const { store, usageOf } = deps;
  const read = (key: { id: string } | { name: string }) =>
    readNamed<ApiTemplateRow>(store, "API template", key);

  route(app, "upsertApiTemplate", async (call) => {
    const { principal, body, query } = call;
    const done = await upsertApiTemplate(deps, principal, body, query.expectedVersion);
    const { template, outcome, changed } = done;
    call.audit({ target: { id: template.id, name: template.name }, changed });
    return {
      data: presentApiTemplate(template),
      message: outcome === "unchanged" ? "The API template is as it was." : `The API template is ${outcome}.`,
      status: outcome === "created" ? 201 : 200,
    };
  });
  route(app, "getApiTemplate", async ({ params }) => ({
    data: presentApiTemplate(await read({ id: params.id })),
    message: "The API template.",
  }));
  route(app, "getApiTemplateByName", async ({ params }) => ({
    data: presentApiTemplate(await read({ name: params.templateName })),
    message: "The API template.",
  }));
  route(app, "apiTemplateExists", async ({ params, query }) => {
    const data = await store.exists(params.name, query.id);
    return {
      data,
      message: data ? "There is an API template of this name." : "There is no API template of this name.",
    };
  });
  route(app, "searchApiTemplates", async ({ body }) => {
    const { rows, meta } = await searchPage(apiTemplateFields, apiTemplateTexts, body, store.search);
    return { data: rows.map(presentApiTemplateItem), meta, message: foundMessage("API template", meta) };
  });
  route(app, "listApiTemplateOptions", async () => ({
    body: (await store.options()).map(({ id, name }) => ({ label: name, value: id })),
  }));

  route(app, "getApiTemplateUsage", async ({ principal, params }) => {
    const data = await usageOf(principal, [await read({ id: params.id })]);
    return { data, message: usageMessage("API template", data) };
  });

  const remove = (principal: Principal, ids: readonly string[], force: boolean | undefined) =>
    removeNamed<ApiTemplateRow>(store, ids, {
      unless: force ? undefined : { noun: "API template", principal, usageOf },
    });
  route(app, "deleteApiTemplate", async (call) => {
    const [removed] = (await remove(call.principal, [call.params.id], call.query.force)).removed;
    if (!removed) throw noSuch("API template");
    call.audit({ target: { id: removed.id, name: removed.name } });
    return { data: null, message: "The API template is deleted." };
  });
  route(app, "deleteApiTemplates", async (call) => {
    const { removed, answer } = await remove(call.principal, call.body.ids, call.query.force);
    for (const { id, name } of removed) call.audit({ target: { id, name } });
    const missing = answer.notFound.length === 0 ? "" : ` Not found: ${answer.notFound.length}.`;
    return { data: answer, message: `Deleted: ${answer.deleted.length}.${missing}` };
  });
}
