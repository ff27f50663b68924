import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { eras, errorIn } from "./client.ts";
import { startIssuer } from "./issuer.ts";
import { makeJobs } from "./jobs.ts";
import { resultOf, rpc } from "./raw.ts";

const publicUrl = "https://pawl.example";
const aud = `${publicUrl}/mcp`;
const all = "openid jobs:read jobs:run jobs:control";

let issuer: Awaited<ReturnType<typeof startIssuer>>;
let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let userId: string;

before(async () => {
  issuer = await startIssuer();
  pawl = await startTestPawl({ PAWL_PUBLIC_URL: publicUrl, PAWL_OIDC_ISSUER: issuer.url });
  jobs = await makeJobs(pawl);
  const body = { name: "Ana", externalId: "auth|ana", authorities: ["JobService:*:*"] };
  userId = (await pawl.client.createPrincipal({ body })).data.id;
});
after(async () => {
  await pawl.close();
  await issuer[Symbol.asyncDispose]();
});

test("takes no address that the identity provider says nobody has verified", async () => {
  await using other = await startTestPawl({
    PAWL_PUBLIC_URL: publicUrl,
    PAWL_OIDC_ISSUER: issuer.url,
    PAWL_OIDC_PRINCIPAL_CLAIM: "email",
  });
  const email = "ana@x.example";
  await other.client.createPrincipal({ body: { name: "Ana", externalId: email, authorities: [] } });
  const rows: [verified: unknown, status: number][] = [
    [true, 200],
    // Not every provider says so; one that lets people enter any address does.
    [undefined, 200],
    [false, 401],
    ["false", 401],
  ];
  for (const [verified, status] of rows) {
    const token = await issuer.token({ aud, scope: all, email, email_verified: verified });
    const answer = await rpc(other, { token, method: "tools/list" });
    assert.equal(answer.status, status, `${verified}: ${answer.text}`);
    if (status === 401) assert.match(answer.text, /verified/);
  }
});

const list = (token: string) => rpc(pawl, { token, method: "tools/list" });
const health = async () => (await pawl.client.mcpBridgeHealth()).data;

test("says that the keys of an identity provider can't be had, and looks again with the next token", async () => {
  const token = await issuer.token({ aud, sub: "auth|ana", scope: all });
  const openid = "/.well-known/openid-configuration";
  const rows: [string, Parameters<typeof issuer.instead.set>[1]][] = [
    ["it is down", { status: 500 }],
    [
      "its metadata is another's",
      { status: 200, body: { issuer: "https://evil.example", jwks_uri: `${issuer.url}/keys` } },
    ],
    ["its metadata leads elsewhere", { status: 302, location: `${issuer.url}/keys` }],
    ["its metadata has no keys", { status: 200, body: { issuer: issuer.url } }],
  ];
  for (const [what, answer] of rows) {
    issuer.instead.set(openid, answer);
    const refused = await list(token);
    assert.equal(refused.status, 503, `${what}: ${refused.text}`);
    assert.ok(refused.headers["retry-after"], what);
    assert.ok(!refused.text.includes(issuer.url), "no address of ours is told");
    const { status, checks } = await health();
    assert.equal(status, "Misconfigured", what);
    assert.ok(
      checks.some(({ name, code }) => name === "token-verifier" && code === "ISSUER_UNAVAILABLE"),
      what,
    );
  }
  issuer.instead.clear();
  assert.equal((await list(token)).status, 200);
  assert.equal((await health()).status, "Healthy");
});

test("lets in whom the identity provider vouches for, as the principal that has its name", async () => {
  const token = await issuer.token({ aud, sub: "auth|ana", scope: all });
  for (const era of eras) {
    const params = { name: "start_job", arguments: { jobId: jobs.greet.id, parameters: { name: "Ana" } } };
    const started = resultOf(await rpc(pawl, { token, era, method: "tools/call", params }));
    const { executionId } = started.structuredContent;
    const { data } = await pawl.client.getExecution({ params: { id: executionId } });
    assert.deepEqual(
      [data.startedBy, data.triggerSource, data.client?.id],
      ["Ana", "mcp-server", "desk-app"],
    );
  }
  const { json } = await pawl.send({
    method: "GET",
    path: "/.well-known/oauth-protected-resource/mcp",
    token: null,
  });
  assert.deepEqual(json.authorization_servers, [issuer.url]);
});

test("refuses every other token of that form, and says why", async () => {
  const good = { aud, sub: "auth|ana", scope: all };
  const now = Math.floor(Date.now() / 1000);
  const valid = await issuer.token(good);
  const [header, , signature] = valid.split(".");
  const payload = Buffer.from(JSON.stringify({ ...good, iss: issuer.url, exp: now + 300, sub: "admin" }));
  const none = Buffer.from('{"alg":"none"}').toString("base64url");
  const claims = valid.split(".")[1];
  const rows: [string, string, RegExp][] = [
    [
      "for another audience",
      await issuer.token({ ...good, aud: "https://pawl.example" }),
      /another audience/,
    ],
    ["for no audience", await issuer.token({ ...good, aud: undefined as never }), /aud|audience/],
    ["of another issuer", await issuer.token({ ...good, iss: "https://evil.example" }), /iss/],
    ["expired", await issuer.token({ ...good, exp: now - 60 }), /expired/],
    ["without an end", await issuer.token({ ...good, exp: undefined as never }), /exp/],
    ["not valid yet", await issuer.token({ ...good, nbf: now + 600 }), /nbf/],
    ["of nobody here", await issuer.token({ ...good, sub: "auth|eve" }), /no principal/],
    ["without a name", await issuer.token({ ...good, sub: undefined as never }), /sub/],
    ["with a name that is no text", await issuer.token({ ...good, sub: ["admin"] as never }), /sub/],
    ["signed by somebody else", await issuer.forged(good), /not signed by the identity provider/],
    ["signed with the public key as a secret", await issuer.symmetric(good), /not signed/],
    ["signed by nobody", `${none}.${claims}.x`, /not signed/],
    [
      "with other claims under a good signature",
      `${header}.${payload.toString("base64url")}.${signature}`,
      /not signed/,
    ],
    ["with a key that is not among the issuer's", await issuer.token(good, { kid: "two" }), /not signed/],
    ["with its keys in it", await issuer.token(good, { kid: "two", jwk: issuer.publicKey }), /not signed/],
    ["that is not one", "a.b.c", /not signed/],
  ];
  for (const [what, token, sentence] of rows) {
    const answer = await list(token);
    assert.equal(answer.status, 401, `${what}: ${answer.text}`);
    assert.match(answer.json.error_description, sentence, what);
    assert.match(
      String(answer.headers["www-authenticate"]),
      /resource_metadata="https:\/\/pawl\.example/,
      what,
    );
  }
  assert.equal((await list(valid)).status, 200);
});

test("gives a token of the identity provider no more than its scopes, and its user's rights", async () => {
  const read = await issuer.token({ aud, sub: "auth|ana", scp: ["jobs:read"], scope: undefined as never });
  const start = { name: "start_job", arguments: { jobId: jobs.greet.id } };
  const refused = await rpc(pawl, { token: read, method: "tools/call", params: start });
  assert.equal(refused.status, 403);
  assert.match(String(refused.headers["www-authenticate"]), /insufficient_scope.*scope="jobs:run"/);
  const none = await issuer.token({ aud, sub: "auth|ana", scope: "openid profile *:*:* jobs:*" });
  const found = await rpc(pawl, {
    token: none,
    method: "tools/call",
    params: { name: "search_jobs", arguments: {} },
  });
  assert.equal(found.status, 403);

  const body = { name: "auth|ben", authorities: ["JobService:Job:read"], jobs: { ids: [jobs.slow.id] } };
  await pawl.client.createPrincipal({ body });
  const ben = await issuer.token({ aud, sub: "auth|ben", scope: all });
  const call = async (name: string, args: object) =>
    resultOf(await rpc(pawl, { token: ben, method: "tools/call", params: { name, arguments: args } }));
  assert.equal((await call("search_jobs", {})).structuredContent.total, 1);
  assert.equal(errorIn(await call("get_job", { jobId: jobs.greet.id }))?.code, "JOB_NOT_FOUND");
  assert.equal(errorIn(await call("start_job", { jobId: jobs.slow.id }))?.code, "PERMISSION_DENIED");
});

test("opens nothing of the API with it, and nothing at all once the principal is gone", async () => {
  const token = await issuer.token({ aud, sub: "auth|ana", scope: all });
  assert.equal((await pawl.send({ method: "GET", path: "/me", token })).status, 401);
  assert.equal((await list(token)).status, 200);
  await pawl.client.deletePrincipal({ params: { id: userId } });
  const gone = await list(token);
  assert.equal(gone.status, 401);
  assert.match(gone.json.error_description, /no principal/);
});
