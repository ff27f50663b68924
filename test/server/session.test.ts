import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type Raw, type Received, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl();
});
after(() => pawl.close());

const own = { "sec-fetch-site": "same-origin" };

/** The cookie that an answer sets, as `name=value` and its attributes. */
function cookieOf({ headers }: Received): { pair: string; attributes: string[] } {
  const [pair, ...attributes] = String(headers["set-cookie"]).split("; ");
  return { pair: pair!, attributes };
}

async function signIn(body: object, headers: Record<string, string> = own): Promise<Received> {
  return pawl.send({ method: "POST", path: "/session", token: null, headers, body });
}

/** A cookie of a new session of this token. */
async function sessionOf(token: string): Promise<string> {
  const answer = await signIn({ token });
  assert.equal(answer.status, 200, answer.text);
  return cookieOf(answer).pair;
}

function withCookie(cookie: string, request: Partial<Raw> = {}): Promise<Received> {
  const { headers, ...rest } = request;
  return pawl.send({ method: "GET", path: "/me", ...rest, token: null, headers: { cookie, ...headers } });
}

describe("a browser's session", () => {
  test("stands for whoever the token belongs to, in a cookie that no script reads", async () => {
    const someone = await pawl.principal(["JobService:Job:read"]);
    const answer = await signIn({ token: ` ${someone.token}\n` });
    const { pair, attributes } = cookieOf(answer);
    assert.match(pair, /^__Host-pawl=[\w-]{43}$/);
    const rest = attributes.filter((it) => !it.startsWith("Expires="));
    assert.deepEqual(rest, ["Path=/", "HttpOnly", "SameSite=Lax", "Secure"]);
    const hours = (Date.parse(answer.json.data.expiresAt) - Date.now()) / 3_600_000;
    assert.ok(hours > 11.9 && hours <= 12, String(hours));
    const me = await withCookie(pair);
    assert.equal(me.json.data.name, someone.name);
    assert.ok(!answer.text.includes(pair.split("=")[1]!), "the secret is in the cookie only");
  });

  test("says over plain HTTP from elsewhere that the cookie is not strict, by its name", async () => {
    const headers = { ...own, host: "pawl.internal:7295" };
    const { pair, attributes } = cookieOf(await signIn({ token: pawl.admin }, headers));
    assert.match(pair, /^pawl-session=/);
    assert.ok(!attributes.includes("Secure"));
    assert.equal((await withCookie(pair, { headers })).status, 200);
    assert.equal((await withCookie(pair)).status, 401, "where the strict one is possible, no other counts");
  });

  test("does what is unsafe for pages of its own only", async () => {
    const cookie = await sessionOf(pawl.admin);
    const create = (headers: Record<string, string>) =>
      withCookie(cookie, { method: "POST", path: "/collection/search", headers, body: {} });
    assert.equal((await create(own)).status, 200);
    assert.equal((await create({ origin: pawl.url })).status, 200);
    const foreign: Record<string, string>[] = [
      {},
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { "sec-fetch-site": "cross-site", origin: pawl.url },
    ];
    for (const headers of foreign) {
      const answer = await create(headers);
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(answer.json.error.code, "FORBIDDEN");
    }
  });

  test("can't be planted by a page of another site", async () => {
    const elsewhere: [string, string][] = [
      ["sec-fetch-site", "cross-site"],
      ["origin", "https://evil.example"],
    ];
    for (const headers of elsewhere.map((header) => Object.fromEntries([header]))) {
      const answer = await signIn({ token: pawl.admin }, headers);
      assert.equal(answer.status, 403);
      assert.equal(answer.headers["set-cookie"], undefined);
    }
  });

  test("counts for nothing beside a token, and a token with a cookie needs no origin", async () => {
    const someone = await pawl.principal(["JobService:Job:read"]);
    const cookie = await sessionOf(pawl.admin);
    const both = { method: "GET", path: "/me", token: someone.token, headers: { cookie } };
    assert.equal((await pawl.send(both)).json.data.name, someone.name);
    assert.equal((await pawl.send({ ...both, token: "pawl_nonsense" })).status, 401);
  });

  test("ends when it is signed out, when its token is revoked, and when its principal goes", async () => {
    const someone = await pawl.principal([]);
    const [out, revoked] = [await sessionOf(someone.token), await sessionOf(someone.token)];
    const answer = await withCookie(out, { method: "DELETE", path: "/session", headers: own });
    assert.equal(answer.status, 200);
    assert.match(String(answer.headers["set-cookie"]), /^__Host-pawl=; Expires=Thu, 01 Jan 1970/);
    assert.equal((await withCookie(out)).status, 401);
    assert.equal((await withCookie(revoked)).status, 200);
    await pawl.client.revokeToken({ params: { id: someone.tokenId } });
    assert.equal((await withCookie(revoked)).status, 401);
    assert.equal((await signIn({ token: someone.token })).status, 401);

    const other = await pawl.principal([]);
    const orphan = await sessionOf(other.token);
    await pawl.client.deletePrincipal({ params: { id: other.id } });
    assert.equal((await withCookie(orphan)).status, 401);
  });

  test("does not outlive the token that opened it", async () => {
    const someone = await pawl.principal([]);
    const body = { principalId: someone.id, name: "short", expiresInDays: 1 };
    const { data } = await pawl.client.createToken({ body });
    const answer = await signIn({ token: data.token });
    assert.ok(answer.json.data.expiresAt <= data.expiresAt!);
  });

  test("decides nothing by a link that is followed: it leads to the page that asks", async () => {
    const cookie = await sessionOf(pawl.admin);
    const job = { name: "ask", steps: [{ key: "ok", type: "approval", input: { message: "Go on?" } }] };
    const { data } = await pawl.client.createJob({ body: job });
    const started = await pawl.client.startJob({ body: { jobId: data.id } });
    const id = started.data.executionId;
    await pawl.readUntil(id, ({ status }) => status === "PAUSED");
    const path = `/api/v2/job/job-resume?jobExecutionId=${id}&approve=true`;
    const answer = await withCookie(cookie, { path, headers: { "sec-fetch-site": "none" } });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.location, `/ui/executions/${id}?decide=approve`);
    const { data: after } = await pawl.client.getExecution({ params: { id } });
    assert.equal(after.status, "PAUSED");
    assert.equal((await pawl.send({ method: "GET", path })).json.status, "RUNNING", "a token decides");
    await pawl.ended(id);
  });
});

describe("a sign-in link", () => {
  test("signs the administrator in, once", async () => {
    const link = new URL(await pawl.signInLink());
    assert.equal(link.pathname, "/ui/sign-in");
    const code = link.hash.slice(1);
    const both = await Promise.all([signIn({ code }), signIn({ code })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401]);
    const { pair } = cookieOf(both.find(({ status }) => status === 200)!);
    assert.equal((await withCookie(pair)).json.data.name, "admin");
  });
});
