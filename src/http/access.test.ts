import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { asAdmin, dummyApp } from "../../test/helpers/dummy-app.ts";
import { assertRegistered, injected, walkRoutes } from "../../test/helpers/walk-routes.ts";
import type { Route } from "../contract/routes.ts";
import { holds, mayUseJob, type Principal } from "./principal.ts";
import { addRoute } from "./route.ts";

test("every route refuses those who may not call it", async (t) => {
  const { app, calls } = await dummyApp();
  await app.ready();
  assertRegistered(app);
  await walkRoutes(t, injected(app), {
    powerless: "nobody",
    bad: ["Bearer wrong", "Basic YTpi", "admin", "Bearer"],
  });
  assert.deepEqual([...new Set(calls.map(({ name }) => name))].sort(), [
    "beginOidcSignIn",
    "finishOidcSignIn",
    "listSignInMethods",
    "live",
    "ready",
  ]);
});

test("refuses to register a route that names no authority of the contract", async () => {
  const { app } = await dummyApp();
  const nameless = { method: "GET", path: "/x", tag: "x", summary: "x", data: Type.Null(), errors: [] };
  for (const access of [undefined, "", "JobService:Job:everything"]) {
    assert.throws(
      () => addRoute(app, "x", { ...nameless, access } as unknown as Route, () => ({ data: null }) as never),
      /has no access/,
    );
  }
  assert.throws(() => app.get("/back-door", () => "open"), /names no authority/);
  assert.throws(() => app.get("/docs/secrets", () => "open"), /names no authority/);
});

test("tells nothing of what a body must be to a caller without rights", async () => {
  const { app } = await dummyApp();
  for (const authorization of [undefined, "Bearer nobody"]) {
    const response = await app.inject({
      method: "POST",
      url: "/api/v2/job/start",
      headers: { ...(authorization ? { authorization } : {}), "content-type": "text/html" },
      payload: "x".repeat(2 * 1024 * 1024),
    });
    assert.equal(response.statusCode, authorization ? 403 : 401);
  }
});

test("does not take a path in another case, with a slash more or doubled, for a route", async () => {
  const { app } = await dummyApp();
  for (const url of ["/ME", "/me/", "//me", "/me%2f", "/health/live/", "/docs/../me", "/me;a=b"]) {
    const response = await app.inject({ url });
    assert.ok([401, 404].includes(response.statusCode), `${url} ${response.statusCode}`);
  }
  assert.equal((await app.inject({ url: "/me/", headers: asAdmin })).statusCode, 404);
});

test("grants through * in any segment, and never across segments", () => {
  const principal = (...authorities: string[]): Principal => ({
    id: "",
    name: "",
    authorities,
    jobs: null,
    tokenId: "",
  });
  const needed = "JobService:Job:read";
  for (const granted of [needed, "*:*:*", "JobService:*:*", "*:Job:*", "JobService:Job:*"]) {
    assert.equal(holds(principal("x:y:z", granted), needed), true, granted);
  }
  for (const granted of [
    "*",
    "JobService:*",
    "JobService:Job:execute",
    "*:*:*:*",
    "jobservice:job:read",
    "",
  ]) {
    assert.equal(holds(principal(granted), needed), false, granted);
  }
});

test("lets a limited principal use the jobs that one of its lists names", () => {
  const limited = (jobs: Principal["jobs"]): Principal => ({
    id: "",
    name: "",
    authorities: [],
    jobs,
    tokenId: "",
  });
  const job = { id: "a", collectionId: "c", tags: ["x", "y"] };
  for (const jobs of [
    null,
    { ids: ["b", "a"] },
    { collections: ["c"] },
    { tags: ["y"] },
    { ids: [], tags: ["x"] },
  ]) {
    assert.equal(mayUseJob(limited(jobs), job), true, JSON.stringify(jobs));
  }
  for (const jobs of [{}, { ids: [] }, { ids: ["c"] }, { collections: ["a"] }, { tags: ["z"] }]) {
    assert.equal(mayUseJob(limited(jobs), job), false, JSON.stringify(jobs));
  }
  assert.equal(
    mayUseJob(limited({ collections: ["c"], tags: ["x"] }), { id: "a", collectionId: null }),
    false,
  );
});
