import type { FastifyInstance } from "fastify";
import type { ConnectionTest } from "../../contract/connection.ts";
import { route } from "../../http/route.ts";
import { foundMessage, searchPage } from "../search.ts";
import { type DecryptDeps, openConnection, openValue } from "./decrypt.ts";
import { type DeleteDeps, deleteConnection, deleteConnections } from "./delete.ts";
import { openDraft } from "./draft.ts";
import {
  presentConnection,
  presentDecrypted,
  presentItem,
  presentOption,
  presentTemplate,
} from "./present.ts";
import { findPresence, readConnection, readNamedConnection } from "./read.ts";
import { connectionFilters, connectionSearch } from "./store.ts";
import { templates } from "./templates.ts";
import { requireTestable, type TestConnection } from "./test-connection.ts";
import { upsertConnection } from "./upsert.ts";

export interface ConnectionDeps extends DecryptDeps, DeleteDeps {
  test: TestConnection;
}

/** Registers the routes of connections. */
export function connectionRoutes(app: FastifyInstance, connections: ConnectionDeps): void {
  const { store, usageOf, test } = connections;

  route(app, "upsertConnection", async (call) => {
    const { principal, body, query } = call;
    const done = await upsertConnection(connections, principal, body, query.expectedVersion);
    const { connection, outcome, changed } = done;
    call.audit({ target: { id: connection.id, name: connection.name }, changed });
    return {
      data: presentConnection(connection),
      message: outcome === "unchanged" ? "The connection is as it was." : `The connection is ${outcome}.`,
      status: outcome === "created" ? 201 : 200,
    };
  });
  route(app, "getConnection", async ({ params }) => ({
    data: presentConnection(await readConnection(store, params.id)),
    message: "The connection.",
  }));
  route(app, "getConnectionByName", async ({ params, query }) => ({
    data: presentConnection(await readNamedConnection(store, params.connectionName, query.type)),
    message: "The connection.",
  }));
  route(app, "deleteConnection", async (call) => {
    const { principal, params, query } = call;
    const { id, name } = await deleteConnection(connections, principal, params.id, query.force ?? false);
    call.audit({ target: { id, name } });
    return { data: null, message: "The connection is deleted." };
  });
  route(app, "deleteConnections", async (call) => {
    const { principal, body, query } = call;
    const { rows, ...data } = await deleteConnections(connections, principal, body.ids, query.force ?? false);
    for (const { id, name } of rows) call.audit({ target: { id, name } });
    const missing = data.notFound.length === 0 ? "" : ` Not found: ${data.notFound.length}.`;
    return { data, message: `Deleted: ${data.deleted.length}.${missing}` };
  });
  route(app, "checkConnectionIdentity", async ({ body }) => {
    const data = await findPresence(store, body.name, body.connectionType);
    return { data, message: data.isPresent ? "There is such a connection." : "There is no such connection." };
  });
  route(app, "connectionExists", async ({ params, query }) => {
    const data = await store.isNamed(params.name, query.id);
    return {
      data,
      message: data ? "There is a connection of this name." : "There is no connection of this name.",
    };
  });
  route(app, "searchConnections", async ({ body }) => {
    const { rows, meta } = await searchPage(connectionFilters, connectionSearch, body, store.search);
    return { data: rows.map(presentItem), meta, message: foundMessage("connection", meta) };
  });
  route(app, "listConnectionsByType", async ({ params }) => ({
    data: (await store.listOfTypes([params.connectionType])).map(presentItem),
    message: "The connections of this type.",
  }));
  route(app, "listConnectionsByCategory", async ({ params }) => ({
    data: (await store.listOfCategory(params.category)).map(presentItem),
    message: "The connections of this category.",
  }));
  route(app, "listConnectionOptions", async ({ query }) => ({
    body: (await store.listOfTypes(query.type)).map(presentOption),
  }));
  route(app, "listConnectionTypes", () => ({
    data: templates.map(presentTemplate),
    message: "The types of connections.",
  }));
  route(app, "getConnectionUsage", async ({ principal, params }) => {
    const { id } = await readConnection(store, params.id);
    const data = await usageOf(principal, [id]);
    return { data, message: `Jobs that refer to the connection: ${data.totalJobs}.` };
  });

  // A test sends the secrets somewhere: recorded before, as any other use of them.
  route(app, "testConnection", async (call) => {
    const { id, name, connectionType } = await readConnection(store, call.params.id);
    requireTestable(connectionType);
    const { variables, sensitive } = await openConnection(connections, id);
    await call.mustAudit({ target: { id, name } });
    const tested = { connectionType, variables, sensitiveVariables: sensitive };
    const data = await test(tested, call.signal);
    return { data, message: testMessage(data) };
  });
  route(app, "testConnectionInput", async (call) => {
    requireTestable(call.body.connectionType);
    const draft = await openDraft(connections, call.body);
    await call.mustAudit({ target: { id: draft.id, name: draft.name } });
    const data = await test(draft, call.signal);
    return { data, message: testMessage(data) };
  });

  // Recorded before it is answered: what can't be recorded is not told.
  route(app, "getDecryptedConnection", async (call) => {
    const opened = await openConnection(connections, call.params.connectionId);
    const { id, name } = opened.connection;
    await call.mustAudit({ target: { id, name } });
    return { data: presentDecrypted(opened), message: "The connection, decrypted." };
  });
  route(app, "decryptConnectionValue", async (call) => {
    const { connection, field, value } = await openValue(connections, call.body.encryptedValue);
    await call.mustAudit({ target: { id: connection.id, name: `${connection.name}: ${field}` } });
    return { data: { decryptedValue: value }, message: "The value, decrypted." };
  });
}

function testMessage({ status, steps }: ConnectionTest): string {
  const failed = steps.find((step) => step.status === "FAILED");
  return status === "success" ? "The connection works." : `The connection does not work: ${failed!.name}.`;
}
