import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { FastifyInstance, InjectOptions } from "fastify";
import { type Route, routes } from "../../src/contract/routes.ts";
import { publicExtras } from "../../src/http/access.ts";

/**
 * Calls every route that the app has without a credential, with bad ones and with one that may do nothing; each must
 * refuse in the envelope before it looks at the rest. What is registered and the route table must be the same.
 */
export async function walkRoutes(
  t: TestContext,
  app: FastifyInstance,
  { powerless, bad }: { powerless: string; bad: readonly string[] },
): Promise<void> {
  await app.ready();
  const table: Record<string, Route> = routes;

  await t.test("has the routes of the table, and besides them only the public extras", () => {
    const named = app.registered.filter((route) => route.name !== null && route.method !== "HEAD");
    assert.deepEqual(named.map((route) => route.name).sort(), Object.keys(table).sort());
    for (const { method, url, name } of app.registered) {
      if (name === null) assert.ok(publicExtras.includes(url), `${method} ${url} is open to anyone`);
      else if (method === "HEAD") assert.equal(table[name]!.access, "public", `HEAD ${url}`);
      else assert.equal(`${method} ${url}`, `${table[name]!.method} ${table[name]!.path}`);
    }
  });

  for (const [name, route] of Object.entries(table)) {
    if (route.access === "public") continue;
    const call = (authorization?: string) =>
      app.inject({
        method: route.method,
        url: route.path.replace(/:[A-Za-z]+/g, "not-an-id"),
        headers: { ...(authorization ? { authorization } : {}), "content-type": "application/json" },
        // Nothing about the body may be told to those who may not send it.
        ...(route.method === "GET" ? {} : { payload: "{" }),
      } as InjectOptions);

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
      assert.ok(response.json().message.includes(route.access));
    });
  }
}

/** A refusal in the envelope, with this status and code. */
export function assertRefused(
  response: { statusCode: number; headers: Record<string, unknown>; json(): unknown; body: string },
  status: number,
  code: string,
): void {
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
