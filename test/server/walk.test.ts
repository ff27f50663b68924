import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Job } from "../../src/contract/job.ts";
import { type Route, type RouteName, routes } from "../../src/contract/routes.ts";
import { newId } from "../../src/lib/ids.ts";
import { jobOf } from "../helpers/jobs-app.ts";
import { type Raw, type Received, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";
import { fetched, walkRoutes } from "../helpers/walk-routes.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl();
});
after(() => pawl.close());

test("every route of the running server refuses those who may not call it", async (t) => {
  const powerless = await pawl.principal([]);
  const revoked = await pawl.principal(["*:*:*"]);
  await pawl.client.revokeToken({ params: { id: revoked.tokenId } });
  const deleted = await pawl.principal(["*:*:*"]);
  await pawl.client.deletePrincipal({ params: { id: deleted.id } });
  const changed = pawl.admin.slice(0, 10) + (pawl.admin[10] === "a" ? "b" : "a") + pawl.admin.slice(11);
  await walkRoutes(t, fetched(pawl.url), {
    powerless: powerless.token,
    bad: [
      ...[revoked.token, deleted.token, changed, `${pawl.admin}x`, pawl.admin.slice(0, -1)].map(
        (it) => `Bearer ${it}`,
      ),
      ...[
        pawl.admin,
        `Basic ${btoa(`admin:${pawl.admin}`)}`,
        "Bearer",
        `Bearer ${pawl.admin} x`,
        `Token ${pawl.admin}`,
      ],
    ],
  });
});

test("takes a token from no other place than the header", async () => {
  const path = `/me?token=${pawl.admin}&access_token=${pawl.admin}`;
  const cookie = `token=${pawl.admin}; authorization=Bearer ${pawl.admin}`;
  const answer = await pawl.send({
    method: "GET",
    path,
    token: null,
    headers: { cookie, "x-api-key": pawl.admin },
  });
  assert.equal(answer.status, 401, answer.text);
});

test("lets a principal do what its authorities name, and nothing besides", async () => {
  const table: Record<string, Route> = routes;
  for (const access of new Set(Object.values(table).map((route) => route.access))) {
    if (access === "public" || access === "authenticated") continue;
    const { token } = await pawl.principal([access]);
    for (const [name, route] of Object.entries(table)) {
      // Refused for the query, if not before: nothing is done, and no stream begins.
      const path = `${route.path.replace(/:[A-Za-z]+/g, "not-an-id")}?nope=1`;
      const { status } = await pawl.send({
        method: route.method,
        path,
        token,
        ...(route.body ? { body: "{" } : {}),
      });
      const mayNot: boolean = !["public", "authenticated", access].includes(route.access);
      assert.equal(status === 403, mayNot, `${access} on ${name}: ${status}`);
    }
  }
});

/** How each route that takes an id is asked about a job, an execution, a principal or a token. */
type Ask = (id: string) => Raw;
const job = (suffix: string, method = "GET", body?: object): Ask => {
  return (id) => ({ method, path: `/jobs/${id}${suffix}`, body });
};
const get =
  (path: string): Ask =>
  (id) => ({ method: "GET", path: path.replace("*", id) });

const control =
  (action: string, more: object = {}): Ask =>
  (id) => ({ method: "POST", path: `/api/v2/job/${action}`, body: { jobExecutionId: id, ...more } });

const aboutJobs: Partial<Record<RouteName, Ask>> = {
  getJob: job(""),
  replaceJob: job("", "PUT", jobOf({ name: "replaced" })),
  deleteJob: job("", "DELETE"),
  listJobVersions: job("/versions"),
  restoreJobVersion: job("/versions/1/restore", "POST"),
  exportJob: job("/export"),
  startJob: (id) => ({ method: "POST", path: "/api/v2/job/start", body: { jobId: id, async: false } }),
  getLastExecution: get("/jobExecution/last/*"),
  listExecutions: (id) => ({ method: "POST", path: `/jobExecution/job/${id}`, body: {} }),
  getExecutionSummary: get("/jobExecution/jobs/*/execution-summary"),
};
const aboutExecutions: Partial<Record<RouteName, Ask>> = {
  getExecution: get("/jobExecution/*"),
  getExecutionLogs: get("/jobExecution/*/logs"),
  stopExecution: control("stop"),
  pauseExecution: control("pause"),
  resumeExecution: control("resume"),
  restartExecution: control("restart"),
  decideExecution: get("/api/v2/job/job-resume?jobExecutionId=*&approve=true"),
  answerExecution: control("job-resume", { approve: true }),
  createApprovalLinks: (id) => ({ method: "POST", path: `/jobExecution/${id}/approval-links`, body: {} }),
  watchExecution: get("/jobExecution/*/events"),
};
/** A link decides for whoever has it: there is no principal to be limited. */
const aboutLinks: Partial<Record<RouteName, Ask>> = {
  showApproval: get("/approval/*"),
  submitApproval: (token) => ({ method: "POST", path: `/approval/${token}`, body: {} }),
};
const aboutSteps: Partial<Record<RouteName, Ask>> = { getStep: get("/step/*") };
const aboutCollections: Partial<Record<RouteName, Ask>> = {
  getCollection: get("/collection/*"),
  replaceCollection: (id) => ({ method: "PUT", path: `/collection/${id}`, body: { name: "taken over" } }),
  deleteCollection: (id) => ({ method: "DELETE", path: `/collection/${id}?moveTo=none` }),
};
const input = { name: "someone", authorities: [] };
const aboutPrincipals: Partial<Record<RouteName, Ask>> = {
  getPrincipal: get("/principal/*"),
  // Within the caller's own limits, else it would be refused for what it grants.
  replacePrincipal: (id) => ({ method: "PUT", path: `/principal/${id}`, body: { ...input, jobs: {} } }),
  deletePrincipal: (id) => ({ method: "DELETE", path: `/principal/${id}` }),
  createToken: (id) => ({ method: "POST", path: "/token", body: { principalId: id, name: "mine" } }),
};
const aboutTokens: Partial<Record<RouteName, Ask>> = {
  revokeToken: (id) => ({ method: "DELETE", path: `/token/${id}` }),
};

/** What they are about is no job's, and limits of a principal name jobs. */
const limitless = [
  "Connections",
  "Global variables",
  "Certificates",
  "Datasets",
  "Files",
  "API templates",
  "MCP servers",
];

test("no route that takes an id is left out below", () => {
  const asked = [
    aboutJobs,
    aboutExecutions,
    aboutSteps,
    aboutCollections,
    aboutPrincipals,
    aboutTokens,
    aboutLinks,
  ].flatMap((table) => Object.keys(table));
  const taking = Object.entries<Route>(routes)
    .filter(([, { tag, params, query, body }]) => {
      if (limitless.includes(tag)) return false;
      const fields = [query, body].flatMap((part) =>
        Object.keys((part as { properties?: object } | undefined)?.properties ?? {}),
      );
      return params !== undefined || fields.some((field) => /^(job|jobExecution|principal)Id$/.test(field));
    })
    .map(([name]) => name);
  assert.deepEqual(asked.sort(), taking.sort());
});

/** All that a caller sees of an answer, without the id that was asked for and that of the request. */
function seen({ status, headers, text, json }: Received, id: string): unknown {
  const body = text.replaceAll(id, "<id>").replaceAll(json?.error?.requestId ?? "<none>", "<request>");
  const { date: _date, "x-request-id": _id, ...rest } = headers;
  return { status, body, headers: { ...rest, "content-length": body.length } };
}

describe("a principal that is limited to some jobs", () => {
  let mine: Job;
  let theirs: Job;
  let theirExecution: string;
  let theirCollection: string;
  let limited: Record<string, Awaited<ReturnType<RunningPawl["principal"]>>>;

  before(async () => {
    const make = async (name: string, tags: string[]) =>
      (await pawl.client.createJob({ body: jobOf({ name, tags }) })).data;
    [mine, theirs] = await Promise.all([make("my job", ["mine", "both"]), make("their job", ["theirs"])]);
    const collection = await pawl.client.createCollection({ body: { name: "their collection" } });
    theirCollection = collection.data.id;
    const filed = { ...jobOf({ name: "their job", tags: ["theirs"] }), collectionId: theirCollection };
    theirs = (await pawl.client.replaceJob({ params: { id: theirs.id }, body: filed })).data;
    const start = async (jobId: string) =>
      (await pawl.client.startJob({ body: { jobId, async: false } })).data;
    await start(mine.id);
    theirExecution = (await start(theirs.id)).executionId;
    limited = {
      "by id": await pawl.principal(["*:*:*"], { ids: [mine.id] }),
      "by tag": await pawl.principal(["*:*:*"], { tags: ["mine"] }),
      "to nothing": await pawl.principal(["*:*:*"], {}),
      "by a collection that no job is in": await pawl.principal(["*:*:*"], { collections: [newId()] }),
    };
  });

  const asks = (table: Partial<Record<RouteName, Ask>>) => Object.entries(table) as [RouteName, Ask][];

  for (const how of ["by id", "by tag", "to nothing", "by a collection that no job is in"]) {
    test(`${how} finds what is foreign as little as what is not there`, async () => {
      const { token } = limited[how]!;
      const foreigner = await pawl.principal([], { tags: ["elsewhere"] });
      const targets: [Partial<Record<RouteName, Ask>>, string[]][] = [
        [aboutJobs, [theirs.id]],
        [aboutExecutions, [theirExecution]],
        [aboutSteps, [theirs.steps[0]!.id]],
        [aboutCollections, [theirCollection]],
        [aboutPrincipals, [foreigner.id, (await pawl.client.whoAmI()).data.id]],
        [aboutTokens, [foreigner.tokenId]],
      ];
      for (const [table, ids] of targets) {
        for (const [name, ask] of asks(table)) {
          const unknown = newId();
          const nothing = await pawl.send({ ...ask(unknown), token });
          assert.equal(nothing.status, 404, `${name}: ${nothing.text}`);
          for (const id of ids) {
            const foreign = await pawl.send({ ...ask(id), token });
            assert.deepEqual(seen(foreign, id), seen(nothing, unknown), name);
          }
        }
      }
    });
  }

  test("changes nothing of what is foreign", async () => {
    assert.deepEqual((await pawl.client.getJob({ params: { id: theirs.id } })).data, theirs);
    const { data } = await pawl.client.getExecutionSummary({ params: { jobId: theirs.id } });
    assert.equal(data.totalExecutions, 1);
  });

  test("sees what it is limited to", async () => {
    for (const how of ["by id", "by tag"]) {
      const { client } = limited[how]!;
      assert.equal((await client.getJob({ params: { id: mine.id } })).data.name, "my job");
      const started = await client.startJob({ body: { jobId: mine.id, async: false } });
      const read = await client.getExecution({ params: { id: started.data.executionId } });
      assert.equal(read.data.startedBy, limited[how]!.name);
      assert.equal((await client.getLastExecution({ params: { jobId: mine.id } })).data.id, read.data.id);
    }
  });

  test("finds nothing foreign in any list", async () => {
    const expected: Record<string, string[]> = {
      "by id": [mine.id],
      "by tag": [mine.id],
      "to nothing": [],
      "by a collection that no job is in": [],
    };
    for (const [how, { client, id }] of Object.entries(limited)) {
      for (const body of [
        {},
        { searchText: "job" },
        { sortBy: "name", sortOrder: "asc" as const, size: 1000 },
      ]) {
        const found = await client.searchJobs({ body });
        assert.deepEqual(
          found.data.map((job) => job.id),
          expected[how],
          how,
        );
        assert.equal(found.meta.totalElements, expected[how]!.length);
      }
      const name = {
        operator: "or" as const,
        constraints: [{ value: "their job", matchMode: "equals" as const }],
      };
      const named = await client.searchJobs({ body: { filters: { name } } });
      assert.deepEqual([named.data, named.meta.totalElements], [[], 0]);
      const principals = await client.listPrincipals();
      assert.ok(
        principals.data.some((principal) => principal.id === id),
        how,
      );
      for (const principal of principals.data) assert.notEqual(principal.jobs, null, principal.name);
      assert.equal(principals.meta.totalElements, principals.data.length);
      const visible = new Set(principals.data.map((principal) => principal.id));
      const tokens = await client.listTokens();
      assert.ok(
        tokens.data.every((token) => visible.has(token.principalId)),
        how,
      );
      assert.equal(tokens.meta.totalElements, tokens.data.length);
    }
  });

  test("makes no job outside its limits, and moves none out of them", async () => {
    for (const how of ["by id", "to nothing"]) {
      const answer = await pawl.send({
        ...post("/jobs", jobOf({ name: "new" })),
        token: limited[how]!.token,
      });
      assert.equal(answer.json.error.code, "FORBIDDEN", how);
    }
    const { token, client } = limited["by tag"]!;
    const made = await client.createJob({ body: jobOf({ name: "of the tag", tags: ["mine"] }) });
    for (const tags of [[], ["theirs"]]) {
      const body = jobOf({ name: "of the tag", tags });
      const moved = await pawl.send({ method: "PUT", path: `/jobs/${made.data.id}`, token, body });
      assert.equal(moved.json.error.code, "FORBIDDEN");
      const imported = await pawl.send({ ...post("/jobs/import", jobOf({ name: "imported", tags })), token });
      assert.equal(imported.json.error.code, "FORBIDDEN");
    }
    // The name of a foreign job is taken, and that is all that is told.
    const over = await pawl.send({
      ...post("/jobs/import", jobOf({ name: "their job", tags: ["mine"] })),
      token,
    });
    assert.equal(over.json.error.code, "CONFLICT");
    assert.ok(!over.text.includes(theirs.id));
    await client.deleteJob({ params: { id: made.data.id } });
  });

  test("loses a job with its executions when it no longer has the tag, and at once", async () => {
    const { client, token } = limited["by tag"]!;
    const made = await client.createJob({ body: jobOf({ name: "moving", tags: ["mine"] }) });
    const { id } = made.data;
    const { executionId } = (await client.startJob({ body: { jobId: id, async: false } })).data;
    await pawl.client.replaceJob({ params: { id }, body: jobOf({ name: "moving", tags: ["theirs"] }) });
    for (const [name, ask] of [...asks(aboutJobs), ...asks(aboutExecutions)]) {
      const answer = await pawl.send({ ...ask(name in aboutJobs ? id : executionId), token });
      assert.equal(answer.status, 404, `${name}: ${answer.text}`);
    }
  });

  test("keeps to its limits in what it hands on", async () => {
    const { token } = limited["by tag"]!;
    for (const jobs of [
      null,
      undefined,
      { ids: [theirs.id] },
      { tags: ["mine", "theirs"] },
      { tags: ["both"] },
    ]) {
      const answer = await pawl.send({ ...post("/principal", { ...input, jobs }), token });
      assert.equal(answer.json.error.code, "FORBIDDEN", JSON.stringify(jobs));
    }
  });
});

function post(path: string, body: object): Raw {
  return { method: "POST", path, body };
}
