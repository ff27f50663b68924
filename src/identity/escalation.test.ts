import assert from "node:assert/strict";
import { test } from "node:test";
import { identityApp } from "../../test/helpers/identity-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";

const staff = ["IdentityService:*:*", "JobService:Job:read"];
const jobA = "01890a5d-ac96-774b-bcce-00000000000a";
const jobB = "01890a5d-ac96-774b-bcce-00000000000b";

test("nobody grants what they don't hold", async (t) => {
  const { call, principal } = await identityApp(t);
  const { id, token } = await principal("staff", staff);
  const grants: [string[], number][] = [
    [["JobService:Job:read"], 201],
    [["IdentityService:Token:*", "IdentityService:Principal:read"], 201],
    [[], 201],
    [["JobService:Job:execute"], 403],
    [["JobService:Job:*"], 403],
    [["*:Job:read"], 403],
    [["*:*:*"], 403],
    [["JobService:Job:read", "JobService:Step:read"], 403],
  ];
  for (const [i, [authorities, status]] of grants.entries()) {
    const made = await call(token, "POST", "/principal", { name: `p${i}`, authorities });
    assert.equal(made.status, status, `${authorities} ${made.response.body}`);
    const raised = await call(token, "PUT", `/principal/${id}`, {
      name: "staff",
      authorities: [...staff, ...authorities],
    });
    assert.equal(raised.status, status === 201 ? 200 : 403, `${authorities} to oneself`);
  }
  const refused = await call(token, "POST", "/principal", {
    name: "x",
    authorities: ["JobService:Job:read", "*:*:*"],
  });
  assert.deepEqual(refused.body.error.details, [
    { path: "/authorities/1", message: "is *:*:*, which you don't hold." },
  ]);
});

test("a caller limited to some jobs grants no others", async (t) => {
  const { call, principal } = await identityApp(t);
  const { token } = await principal("limited", staff, { ids: [jobA], tags: ["x", "y"] });
  const limits: [object | null | undefined, number][] = [
    [{ ids: [jobA] }, 201],
    [{ ids: [jobA.toUpperCase()], tags: ["y"] }, 201],
    [{}, 201],
    [undefined, 403],
    [null, 403],
    [{ ids: [jobB] }, 403],
    [{ tags: ["x", "z"] }, 403],
    [{ collections: [jobA] }, 403],
  ];
  for (const [i, [jobs, status]] of limits.entries()) {
    const made = await call(token, "POST", "/principal", { name: `p${i}`, authorities: [], jobs });
    assert.equal(made.status, status, `${JSON.stringify(jobs)} ${made.response.body}`);
  }
});

test("nobody acts on a principal above them, or through its tokens", async (t) => {
  const { admin, call, principal } = await identityApp(t);
  const { token } = await principal("staff", staff);
  const boss = await principal("boss", ["JobService:*:*"]);
  const { data: root } = await call(admin, "GET", "/me");
  for (const target of [boss.id, root.id]) {
    for (const [method, url, payload] of [
      ["POST", "/token", { principalId: target, name: "mine" }],
      ["PUT", `/principal/${target}`, { name: "weak", authorities: [] }],
      ["DELETE", `/principal/${target}`],
    ] as const) {
      assertRefused((await call(token, method, url, payload)).response, 403, "FORBIDDEN");
    }
  }
  assertRefused((await call(token, "DELETE", `/token/${boss.tokenId}`)).response, 403, "FORBIDDEN");
  assert.equal((await call(boss.token, "GET", "/me")).status, 200);
});

test("anyone who may revoke gives up their own token", async (t) => {
  const { call, principal } = await identityApp(t);
  const { token, tokenId } = await principal("quitter", ["IdentityService:Token:revoke"]);
  assert.equal((await call(token, "DELETE", `/token/${tokenId}`)).status, 200);
  assert.equal((await call(token, "GET", "/me")).status, 401);
});

test("a limited caller knows only of principals and tokens within its limits", async (t) => {
  const { admin, call, principal } = await identityApp(t);
  const { token } = await principal("limited", staff, { ids: [jobA], tags: ["x"] });
  const inside = await principal("inside", [], { tags: ["x"] });
  const outside = [
    await principal("unlimited", []),
    await principal("other", [], { ids: [jobB] }),
    await principal("wider", [], { ids: [jobA, jobB] }),
  ];
  const names = (
    list: { data: { name?: string; principalName?: string }[] },
    key: "name" | "principalName",
  ) => list.data.map((entry) => entry[key]).sort();
  const principals = await call(token, "GET", "/principal");
  assert.deepEqual(names(principals, "name"), ["inside", "limited"]);
  assert.equal(principals.body.meta.totalElements, 2);
  const tokens = await call(token, "GET", "/token");
  assert.deepEqual(names(tokens, "principalName"), ["inside", "limited"]);
  assert.equal(tokens.body.meta.totalElements, 2);
  assert.equal((await call(admin, "GET", "/principal")).data.length, 6);

  assert.equal((await call(token, "GET", `/principal/${inside.id}`)).status, 200);
  for (const { id, tokenId } of outside) {
    for (const [method, url, payload] of [
      ["GET", `/principal/${id}`],
      ["PUT", `/principal/${id}`, { name: "x", authorities: [], jobs: {} }],
      ["DELETE", `/principal/${id}`],
      ["POST", "/token", { principalId: id, name: "x" }],
      ["DELETE", `/token/${tokenId}`],
    ] as const) {
      const refused = await call(token, method, url, payload);
      assertRefused(refused.response, 404, "NOT_FOUND");
    }
  }
});

test("the last principal that holds everything stays, and stays whole", async (t) => {
  const { admin, call } = await identityApp(t);
  const { data: root } = await call(admin, "GET", "/me");
  const url = `/principal/${root.id}`;
  for (const weaker of [{ authorities: ["JobService:*:*"] }, { authorities: ["*:*:*"], jobs: {} }]) {
    const refused = await call(admin, "PUT", url, { name: "admin", ...weaker });
    assertRefused(refused.response, 409, "CONFLICT");
    assert.match(refused.body.message, /last principal that holds everything/);
  }
  assertRefused((await call(admin, "DELETE", url)).response, 409, "CONFLICT");
  assert.equal((await call(admin, "PUT", url, { name: "root", authorities: ["*:*:*"] })).data.name, "root");

  const second = await call(admin, "POST", "/principal", { name: "second", authorities: ["*:*:*"] });
  assert.equal((await call(admin, "DELETE", `/principal/${second.data.id}`)).status, 200);
  const third = await call(admin, "POST", "/principal", { name: "third", authorities: ["*:*:*"] });
  const shutOut = await call(admin, "DELETE", url);
  assertRefused(shutOut.response, 409, "CONFLICT");
  assert.match(
    shutOut.body.message,
    /no other principal .* has a token that doesn't expire\. Make one first/,
  );
  await call(admin, "POST", "/token", { principalId: third.data.id, name: "key" });
  assert.equal((await call(admin, "DELETE", url)).status, 200);
});

test("the last token that holds everything and doesn't expire is not revoked", async (t) => {
  const { admin, call, principal, pool } = await identityApp(t);
  const { data: root } = await call(admin, "GET", "/me");
  const [first] = (await call(admin, "GET", "/token")).data;
  const refused = await call(admin, "DELETE", `/token/${first.id}`);
  assertRefused(refused.response, 409, "CONFLICT");
  assert.match(refused.body.message, new RegExp(`${first.prefix}… must stay: .* Make another one first`));

  // One that expires is no way back in, nor is one of a principal with limits.
  const passing = { principalId: root.id, name: "passing", expiresInDays: 1 };
  const { data: soonOver } = await call(admin, "POST", "/token", passing);
  await principal("limited", ["*:*:*"], { tags: ["ci"] });
  assertRefused((await call(admin, "DELETE", `/token/${first.id}`)).response, 409, "CONFLICT");
  assert.equal((await call(admin, "DELETE", `/token/${soonOver.id}`)).status, 200);

  const second = await principal("second", ["*:*:*"]);
  assert.equal((await call(admin, "DELETE", `/token/${first.id}`)).status, 200);
  assertRefused((await call(second.token, "DELETE", `/token/${second.tokenId}`)).response, 409, "CONFLICT");
  const { data: spare } = await call(second.token, "POST", "/token", { principalId: root.id, name: "spare" });

  // Two that are revoked at the same time leave one.
  const outcomes = await Promise.all([
    call(second.token, "DELETE", `/token/${second.tokenId}`),
    call(spare.token, "DELETE", `/token/${spare.id}`),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), [200, 409]);
  const { rows } = await pool.query(
    `select count(*)::int as left from api_token t join principal p on p.id = t.principal_id
     where p.job_limits is null and t.revoked_at is null`,
  );
  assert.equal(rows[0].left, 1);
});

test("two administrators who delete each other at the same time leave one", async (t) => {
  const { admin, call, pool, principal } = await identityApp(t);
  const { data: root } = await call(admin, "GET", "/me");
  const second = await principal("second", ["*:*:*"]);
  // Both are known to the server now, so that both requests get as far as the database.
  await Promise.all([call(admin, "GET", "/me"), call(second.token, "GET", "/me")]);
  const outcomes = await Promise.all([
    call(admin, "DELETE", `/principal/${second.id}`),
    call(second.token, "DELETE", `/principal/${root.id}`),
  ]);
  assert.deepEqual(outcomes.map((outcome) => outcome.status).sort(), [200, 409]);
  const { rows } = await pool.query("select count(*)::int as left from principal");
  assert.equal(rows[0].left, 1);
});
