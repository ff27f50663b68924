import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type OidcProvider, startOidcProvider } from "../helpers/oidc-provider.ts";
import { type Received, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

const client = { id: "pawl", secret: "hush" };
let provider: OidcProvider;
let pawl: RunningPawl;

before(async () => {
  provider = await startOidcProvider(client);
  pawl = await startTestPawl({
    PAWL_OIDC_ISSUER: provider.issuer,
    PAWL_OIDC_CLIENT_ID: client.id,
    PAWL_OIDC_CLIENT_SECRET: client.secret,
    PAWL_OIDC_NAME: "Example Ltd",
  });
  const body = { name: "Alice", externalId: "alice", authorities: ["JobService:Job:read"] };
  await pawl.client.createPrincipal({ body });
});
after(async () => {
  await pawl?.close();
  await provider?.close();
});

const get = (path: string, cookie = "") =>
  pawl.send({ method: "GET", path, token: null, headers: cookie ? { cookie } : {} });

function cookies({ headers }: Received): string[] {
  return [headers["set-cookie"] ?? []].flat().map((line) => String(line).split(";")[0]!);
}

/** Leaves for the provider, and is sent back by it. */
async function away(to = "") {
  const left = await get(`/session/oidc${to}`);
  assert.equal(left.status, 303, left.text);
  const [flow] = cookies(left);
  const answer = await fetch(String(left.headers.location), { redirect: "manual" });
  const back = new URL(answer.headers.get("location")!);
  assert.equal(back.origin, pawl.url);
  return { flow: flow!, path: back.pathname + back.search };
}

const faultOf = ({ headers }: Received) =>
  new URLSearchParams(String(headers.location).split("#")[1]).get("fault");

describe("signing in at an identity provider", () => {
  test("finds nobody by a name whose externalId says that the provider calls them otherwise", async () => {
    const authorities = ["*:*:*"];
    await pawl.client.createPrincipal({ body: { name: "bob", externalId: "id-of-bob", authorities } });
    await pawl.client.createPrincipal({ body: { name: "carol", authorities } });
    const signedInAs = async (subject: string) => {
      provider.state.subject = subject;
      const { flow, path } = await away();
      const back = await get(path, flow);
      provider.state.subject = "alice";
      const session = cookies(back).find((pair) => pair.startsWith("__Host-pawl="));
      return session ? (await get("/me", session)).json.data.name : faultOf(back);
    };
    assert.equal(await signedInAs("id-of-bob"), "bob");
    assert.equal(await signedInAs("carol"), "carol");
    assert.match(await signedInAs("bob"), /no principal for "bob"/);
  });

  test("is offered by name, and leads to the wanted page with a session of the principal that the claim names", async () => {
    const { json } = await get("/session/methods");
    assert.deepEqual(json.data, { token: true, oidc: { name: "Example Ltd" } });
    const { flow, path } = await away("?to=/jobs%3Fq%3Dx");
    assert.match(flow, /^__Host-pawl-sign-in=/);
    const back = await get(path, flow);
    assert.equal(back.status, 303);
    assert.equal(back.headers.location, "/ui/jobs?q=x");
    const session = cookies(back).find((pair) => pair.startsWith("__Host-pawl="));
    const me = await get("/me", session);
    assert.equal(me.json.data.name, "Alice");
    assert.deepEqual(me.json.data.authorities, ["JobService:Job:read"]);
    const { data } = await pawl.client.searchAudit({ body: { size: 1 } });
    assert.deepEqual(
      [data[0]!.action, data[0]!.outcome, data[0]!.principal],
      ["finishOidcSignIn", "success", "Alice"],
    );
    const again = await get(path, flow);
    assert.match(faultOf(again)!, /does not fit/, "the code served once");
  });

  test("never leads to a page of others", async () => {
    for (const to of ["//evil.example", "/\\evil.example", "https://evil.example", "evil"]) {
      const { flow, path } = await away(`?to=${encodeURIComponent(to)}`);
      assert.equal((await get(path, flow)).headers.location, "/ui/", to);
    }
  });

  test("ends on the sign-in page with the reason when it did not come about, and without a session", async () => {
    // An id says nothing to the administrator who is asked to make a principal: the best of the other claims does.
    const whoIs: [more: object, shown: string][] = [
      [{ name: "Ada L.", preferred_username: "ada", email: "ada@x.test" }, " \\(Ada L\\.\\)"],
      [{ name: "", preferred_username: "ada", email: "ada@x.test" }, " \\(ada\\)"],
      [{ name: 7, email: "ada@x.test" }, " \\(ada@x\\.test\\)"],
      [{}, ""],
    ];
    const cases: [string, () => Promise<Received>, RegExp][] = [
      ["without the cookie", async () => get((await away()).path), /begun in another browser/],
      [
        "with another's answer",
        async () => {
          const [mine, theirs] = [await away(), await away()];
          return get(theirs.path, mine.flow);
        },
        /does not fit/,
      ],
      [
        "refused there",
        async () => {
          provider.state.refuse = true;
          const { flow, path } = await away();
          return get(path, flow);
        },
        /did not sign you in: <b>not today<\/b>/,
      ],
      [
        "a token for another sign-in",
        async () => {
          provider.state.nonce = "another";
          const { flow, path } = await away();
          return get(path, flow);
        },
        /does not fit/,
      ],
      [
        "nobody of that name",
        async () => {
          provider.state.subject = "mallory";
          const { flow, path } = await away();
          return get(path, flow);
        },
        /no principal for "mallory"\./,
      ],
      ...whoIs.map(([more, shown]): (typeof cases)[number] => [
        `nobody of that name, called ${shown}`,
        async () => {
          Object.assign(provider.state, { subject: "0a1b", more });
          const { flow, path } = await away();
          return get(path, flow);
        },
        new RegExp(`no principal for "0a1b"${shown}\\. An administrator`),
      ]),
    ];
    for (const [name, go, reason] of cases) {
      const answer = await go();
      Object.assign(provider.state, { refuse: false, nonce: undefined, subject: "alice", more: {} });
      assert.equal(answer.status, 303, name);
      assert.match(String(answer.headers.location), /^\/ui\/sign-in#fault=/, name);
      assert.match(faultOf(answer)!, reason, name);
      assert.ok(!cookies(answer).some((pair) => pair.startsWith("__Host-pawl=")), name);
    }
  });
});
