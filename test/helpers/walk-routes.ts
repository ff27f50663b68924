import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { FastifyInstance, InjectOptions } from "fastify";
import { type Route, routes } from "../../src/contract/routes.ts";
import { publicExtras } from "../../src/http/access.ts";

export interface Reply {
  statusCode: number;
  headers: Record<string, unknown>;
  body: string;
  json(): unknown;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  payload?: string;
}

/** How a request reaches the server: `injected(app)`, or `fetched(url)` for one that runs. */
export type Send = (request: Sent) => Promise<Reply>;

export function injected(app: FastifyInstance): Send {
  return (request) => app.inject(request as InjectOptions);
}

export function fetched(base: string): Send {
  return async ({ method, url, headers, payload }) => {
    const response = await fetch(new URL(url, base), { method, headers, body: payload });
    const body = await response.text();
    return {
      statusCode: response.status,
      headers: Object.fromEntries(response.headers),
      body,
      json: () => JSON.parse(body),
    };
  };
}

/** What is registered and the route table are the same; nothing else answers but the public extras. */
export function assertRegistered(app: FastifyInstance): void {
  const table: Record<string, Route> = routes;
  const named = app.registered.filter((route) => route.name !== null && route.method !== "HEAD");
  assert.deepEqual(named.map((route) => route.name).sort(), Object.keys(table).sort());
  for (const { method, url, name } of app.registered) {
    if (name === null) assert.ok(publicExtras.includes(url), `${method} ${url} is open to anyone`);
    else if (method === "HEAD") assert.equal(table[name]!.access, "public", `HEAD ${url}`);
    else assert.equal(`${method} ${url}`, `${table[name]!.method} ${table[name]!.path}`);
  }
}

/**
 * Calls every route of the table without a credential, with bad ones and with the token of a principal that may do
 * nothing; each must refuse in the envelope before it looks at the rest. Public ones must answer anyone.
 */
export async function walkRoutes(
  t: TestContext,
  send: Send,
  { powerless, bad }: { powerless: string; bad: readonly string[] },
): Promise<void> {
  const table: Record<string, Route> = routes;
  for (const [name, route] of Object.entries(table)) {
    const call = (authorization?: string) =>
      send({
        method: route.method,
        url: route.path.replace(/:[A-Za-z]+/g, "not-an-id"),
        headers: { ...(authorization ? { authorization } : {}), "content-type": "application/json" },
        // Nothing about the body may be told to those who may not send it.
        ...(route.method === "GET" ? {} : { payload: "{" }),
      });

    if (route.access === "public") {
      await t.test(`${name} answers anyone, whatever credential is sent`, async () => {
        for (const credential of [undefined, ...bad]) {
          assert.ok(![401, 403].includes((await call(credential)).statusCode));
        }
      });
      continue;
    }

    await t.test(`${name} refuses a caller without a credential, or with a bad one`, async () => {
      for (const credential of [undefined, ...bad]) {
        const response = await call(credential);
        assertRefused(response, 401, "UNAUTHENTICATED");
        assert.equal(response.headers["www-authenticate"], "Bearer");
      }
    });

    if (route.access === "authenticated") continue;
    await t.test(`${name} refuses a caller without ${route.access}, and names it`, async () => {
      const response = await call(`Bearer ${powerless}`);
      assertRefused(response, 403, "FORBIDDEN");
      const { message } = response.json() as { message: string };
      assert.ok(message.includes(route.access), message);
    });
  }
}

/** A refusal in the envelope, with this status and code. */
export function assertRefused(response: Reply, status: number, code: string): void {
  assert.equal(response.statusCode, status, response.body);
  const body = response.json() as Record<string, unknown>;
  const { requestId, ...error } = body.error as Record<string, unknown>;
  assert.equal(error.code, code, response.body);
  assert.equal(requestId, response.headers["x-request-id"]);
  assert.equal(body.status, "error");
  assert.equal(body.data, null);
  assert.equal(typeof body.message === "string" && body.message.length > 0, true);
  assert.deepEqual(Object.keys(body).sort(), ["data", "error", "message", "status"]);
}
