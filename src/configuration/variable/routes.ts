import type { FastifyInstance } from "fastify";
import type { Principal } from "../../http/principal.ts";
import { route } from "../../http/route.ts";
import { noSuch, readNamed, removeNamed } from "../named.ts";
import { foundMessage, searchPage } from "../search.ts";
import { type RecordUsage, usageMessage } from "../usage.ts";
import { openVariables } from "./load.ts";
import { presentVariable, presentVariableItem } from "./present.ts";
import { variableFilters, variableSearch } from "./store.ts";
import { upsertVariable, type VariableDeps } from "./upsert.ts";

/** Registers the routes of global variables. */
export function variableRoutes(
  app: FastifyInstance,
  variables: VariableDeps & { usageOf: RecordUsage },
): void {
  const { store, usageOf } = variables;

  route(app, "upsertVariable", async (call) => {
    const done = await upsertVariable(variables, call.principal, call.body, call.query.expectedVersion);
    const { variable, outcome, changed } = done;
    call.audit({ target: { id: variable.id, name: variable.name }, changed });
    return {
      data: presentVariable(variable),
      message: outcome === "unchanged" ? "The variable is as it was." : `The variable is ${outcome}.`,
      status: outcome === "created" ? 201 : 200,
    };
  });
  route(app, "getVariable", async ({ params }) => ({
    data: presentVariable(await readNamed(store, "variable", { id: params.id })),
    message: "The variable.",
  }));
  route(app, "getVariableByName", async ({ params }) => ({
    data: presentVariable(await readNamed(store, "variable", { name: params.name })),
    message: "The variable.",
  }));
  // Recorded before it is answered: what can't be recorded is not told.
  route(app, "decryptVariables", async (call) => {
    const opened = await openVariables(variables, call.body.names);
    const secrets = opened.filter(({ secret }) => secret);
    await Promise.all(secrets.map(({ id, name }) => call.mustAudit({ target: { id, name } })));
    const names = opened.map(({ name }) => name).join(", ");
    if (secrets.length === 0) call.audit({ target: { name: names } });
    return { data: opened, message: "The variables, decrypted." };
  });

  route(app, "getVariableUsage", async ({ principal, params }) => {
    const data = await usageOf(principal, [await readNamed(store, "variable", { id: params.id })]);
    return { data, message: usageMessage("variable", data) };
  });

  const remove = (principal: Principal, ids: readonly string[], force: boolean | undefined) =>
    removeNamed(store, ids, { unless: force ? undefined : { noun: "variable", principal, usageOf } });
  route(app, "deleteVariable", async (call) => {
    const [removed] = (await remove(call.principal, [call.params.id], call.query.force)).removed;
    if (!removed) throw noSuch("variable");
    call.audit({ target: { id: removed.id, name: removed.name } });
    return { data: null, message: "The variable is deleted." };
  });
  route(app, "deleteVariables", async (call) => {
    const { removed, answer } = await remove(call.principal, call.body.ids, call.query.force);
    for (const { id, name } of removed) call.audit({ target: { id, name } });
    const missing = answer.notFound.length === 0 ? "" : ` Not found: ${answer.notFound.length}.`;
    return { data: answer, message: `Deleted: ${answer.deleted.length}.${missing}` };
  });
  route(app, "variableExists", async ({ params, query }) => {
    const data = await store.exists(params.name, query.id);
    return {
      data,
      message: data ? "There is a variable of this name." : "There is no variable of this name.",
    };
  });
  route(app, "searchVariables", async ({ body }) => {
    const { rows, meta } = await searchPage(variableFilters, variableSearch, body, store.search);
    return { data: rows.map(presentVariableItem), meta, message: foundMessage("variable", meta) };
  });
  route(app, "listVariableOptions", async () => ({
    body: (await store.options()).map(({ id, name }) => ({ label: name, value: id })),
  }));
}
