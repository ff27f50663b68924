import assert from "node:assert/strict";
import { test } from "node:test";
import type { InjectOptions } from "fastify";
import Type from "typebox";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { ApiError } from "../contract/errors.ts";
import type { Route } from "../contract/routes.ts";
import { createApp } from "./app.ts";
import type { RateLimits } from "./rate-limit.ts";
import { addRoute } from "./route.ts";

const read = {
  method: "GET",
  path: "/read",
  access: "authenticated",
  tag: "x",
  summary: "x",
  data: Type.Null(),
  errors: [],
} as const satisfies Route;
const shown = { ...read, method: "POST", path: "/shown", limit: "decrypts" } as const satisfies Route;
const tried = { ...read, path: "/tried", limit: "probes" } as const satisfies Route;
const signIn = { ...read, method: "POST", path: "/sign-in", access: "public" } as const satisfies Route;

const refused = () => new ApiError("UNAUTHENTICATED", "No.");

async function limitedApp(limits: RateLimits) {
  const app = await createApp({
    authenticate(authorization) {
      const [, id, tokenId] = /^Bearer (ada|bob)([12])$/.exec(authorization ?? "") ?? [];
      if (id === undefined) throw refused();
      return { id, name: id, authorities: [], jobs: null, tokenId: tokenId! };
    },
    isStoreUnavailable: () => false,
    limits,
  });
  for (const [name, route] of Object.entries({ read, shown, tried })) {
    addRoute<Route>(app, name, route, () => ({ data: null }));
  }
  addRoute<Route>(app, "signIn", signIn, () => {
    throw refused();
  });
  return (url: string, token?: string, remoteAddress = "192.0.2.1") =>
    app.inject({
      method: url === "/shown" || url === "/sign-in" ? "POST" : "GET",
      url,
      remoteAddress,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    } as InjectOptions);
}

test("holds up an address that sends wrong credentials, and nobody with a right one", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const ask = await limitedApp({ signIns: 3 });
  for (const url of ["/read", "/tried", "/sign-in"])
    assertRefused(await ask(url, "wrong"), 401, "UNAUTHENTICATED");
  t.mock.timers.tick(20_500);
  for (const url of ["/read", "/sign-in"]) {
    const answer = await ask(url, "wrong");
    assertRefused(answer, 429, "RATE_LIMITED");
    assert.equal(answer.headers["retry-after"], "40");
    assert.match(answer.json().message, /not valid.*Try again in 40 s\.$/);
  }
  assert.equal((await ask("/read", "ada1")).statusCode, 200, "from the same address");
  assertRefused(await ask("/read"), 401, "UNAUTHENTICATED");
  assertRefused(await ask("/read", "wrong", "192.0.2.2"), 401, "UNAUTHENTICATED");
  t.mock.timers.tick(40_000);
  assertRefused(await ask("/read", "wrong"), 401, "UNAUTHENTICATED");
});

test("takes the addresses of one IPv6 network for one, and IPv4 in IPv6 for IPv4", async () => {
  const ask = await limitedApp({ signIns: 1 });
  const statuses: number[] = [];
  for (const address of [
    "2001:db8::1",
    "2001:db8::ffff:2",
    "2001:db8:0:1::1",
    "192.0.2.1",
    "::ffff:192.0.2.1",
  ]) {
    statuses.push((await ask("/read", "wrong", address)).statusCode);
  }
  assert.deepEqual(statuses, [401, 429, 401, 401, 429]);
});

test("counts what a principal is shown or tries, whatever its token and address, and each kind apart", async (t) => {
  t.mock.timers.enable({ apis: ["Date"] });
  const ask = await limitedApp({ decrypts: 2, probes: 1 });
  assert.equal((await ask("/shown", "ada1")).statusCode, 200);
  assert.equal((await ask("/shown", "ada2", "192.0.2.9")).statusCode, 200);
  const answer = await ask("/shown", "ada1", "192.0.2.8");
  assertRefused(answer, 429, "RATE_LIMITED");
  assert.equal(answer.headers["retry-after"], "60");
  assert.equal((await ask("/shown", "bob1")).statusCode, 200);
  assert.equal((await ask("/tried", "ada1")).statusCode, 200);
  assertRefused(await ask("/tried", "ada2"), 429, "RATE_LIMITED");
  assertRefused(await ask("/shown", "wrong"), 401, "UNAUTHENTICATED");
  for (let n = 0; n < 20; n++) assert.equal((await ask("/read", "ada1")).statusCode, 200);
  t.mock.timers.tick(60_000);
  assert.equal((await ask("/shown", "ada1")).statusCode, 200);
});

test("counts nothing where the limit is 0", async () => {
  const ask = await limitedApp({ signIns: 0, decrypts: 0 });
  for (let n = 0; n < 20; n++) {
    assert.equal((await ask("/read", "wrong")).statusCode, 401);
    assert.equal((await ask("/shown", "ada1")).statusCode, 200);
  }
});
