import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditRecord } from "../../src/contract/audit.ts";
import type { JobInput } from "../../src/contract/job.ts";
import { type Route, routes } from "../../src/contract/routes.ts";
import { isAudited } from "../../src/http/audit.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

const job = (
  name: string,
  steps: JobInput["steps"] = [{ key: "a", type: "set", input: { values: {} } }],
) => ({
  name,
  steps,
});

describe("the audit record of a server", () => {
  let pawl: RunningPawl;
  before(async () => {
    pawl = await startTestPawl();
  });
  after(() => pawl.close());

  const like = (field: string, value: unknown, matchMode = "equals") => ({
    [field]: { operator: "and" as const, constraints: [{ value, matchMode: matchMode as "equals" }] },
  });

  /** Lines of this request, the oldest first. */
  async function linesOf(requestId: string): Promise<AuditRecord[]> {
    const { data } = await pawl.client.searchAudit({
      body: { filters: like("requestId", requestId), sortBy: "seq", sortOrder: "asc", size: 100 },
    });
    return data;
  }

  let sent = 0;
  /** Sends a request with an id of its own, and answers the lines it left. */
  async function lines(method: string, path: string, more: { token?: string | null; body?: object } = {}) {
    const id = `test-${++sent}`;
    const headers = { "x-request-id": id, "user-agent": "test/1" };
    const answer = await pawl.send({ method, path, headers, ...more });
    return { ...answer, lines: await linesOf(id) };
  }

  const short = ({ action, targetType, targetId, targetName, outcome, changed }: AuditRecord) => [
    action,
    `${targetType} ${targetId} ${targetName}`,
    outcome,
    ...(changed.length > 0 ? [changed.join()] : []),
  ];

  test("has who, what, when and from where for each change, and the names of what changed", async () => {
    const { data: me } = await pawl.client.whoAmI();
    const tokens = await pawl.client.listTokens({ query: {} });
    const made = await lines("POST", "/principal", {
      body: { name: "Ada", authorities: ["JobService:Job:read"] },
    });
    const { id } = made.json.data;
    assert.deepEqual(made.lines.map(short), [
      ["createPrincipal", `principal ${id} Ada`, "success", made.lines[0]!.changed.join()],
    ]);
    assert.deepEqual(made.lines[0]!.changed.slice(0, 2), ["name", "authorities"]);
    const [line] = made.lines as [AuditRecord];
    assert.equal(line.principalId, me.id);
    assert.equal(line.principal, "admin");
    assert.equal(line.tokenId, tokens.data[0]!.id);
    assert.equal(line.ip, "127.0.0.1");
    assert.equal(line.client, "test/1");
    assert.ok(Math.abs(Date.parse(line.at) - Date.now()) < 60_000);

    const put = (body: object) => lines("PUT", `/principal/${id}`, { body });
    assert.deepEqual((await put({ name: "Ada L", authorities: [] })).lines.map(short), [
      ["replacePrincipal", `principal ${id} Ada L`, "success", "name,authorities"],
    ]);
    assert.deepEqual((await put({ name: "Ada L", authorities: [] })).lines.map(short), [
      ["replacePrincipal", `principal ${id} Ada L`, "success"],
    ]);
    const token = await lines("POST", "/token", { body: { principalId: id, name: "t" } });
    const { prefix, id: tokenId, token: secret } = token.json.data;
    assert.deepEqual(token.lines.map(short), [
      ["createToken", `token ${tokenId} ${prefix}… of Ada L`, "success"],
    ]);
    assert.ok(!JSON.stringify(token.lines).includes(secret));
    assert.deepEqual((await lines("DELETE", `/token/${tokenId}`)).lines.map(short), [
      ["revokeToken", `token ${tokenId} ${prefix}… of Ada L`, "success"],
    ]);
    assert.deepEqual((await lines("DELETE", `/principal/${id}`)).lines.map(short), [
      ["deletePrincipal", `principal ${id} Ada L`, "success"],
    ]);
  });

  test("has changes of jobs and collections, and what is done to executions", async () => {
    const waiting = [{ key: "ok", type: "approval", input: { message: "Go on?" } }];
    const created = await lines("POST", "/jobs", { body: job("audited", waiting) });
    const { id } = created.json.data;
    assert.deepEqual(created.lines.map(short), [["createJob", `job ${id} audited`, "success"]]);
    const replaced = await lines("PUT", `/jobs/${id}`, { body: job("audited 2", waiting) });
    assert.deepEqual(replaced.lines.map(short), [["replaceJob", `job ${id} audited 2`, "success"]]);
    const restored = await lines("POST", `/jobs/${id}/versions/1/restore`);
    assert.deepEqual(restored.lines.map(short), [["restoreJobVersion", `job ${id} audited`, "success"]]);
    const imported = await lines("POST", "/jobs/import", { body: job("audited", waiting) });
    assert.deepEqual(imported.lines.map(short), [["importJob", `job ${id} audited`, "success"]]);
    const collection = await lines("POST", "/collection", { body: { name: "c" } });
    const { id: collectionId } = collection.json.data;
    assert.deepEqual(
      collection.lines.map(short).map((line) => line.slice(0, 3)),
      [["createCollection", `collection ${collectionId} c`, "success"]],
    );

    const started = await lines("POST", "/api/v2/job/start", { body: { jobId: id } });
    assert.equal(started.status, 200);
    assert.deepEqual(started.lines, [], "the execution itself keeps who started it");
    const { executionId } = started.json;
    const target = `execution ${executionId} null`;
    await pawl.readUntil(executionId, ({ status }) => status === "PAUSED");
    const made = await lines("POST", `/jobExecution/${executionId}/approval-links`, { body: {} });
    assert.deepEqual(made.lines.map(short), [["createApprovalLinks", target, "success"]]);
    const { approveUrl } = made.json.data;
    const { pathname } = new URL(approveUrl);
    const clicked = await lines("POST", pathname, { token: null, body: { comment: "yes" } });
    assert.equal(clicked.status, 200, clicked.text);
    assert.deepEqual(clicked.lines.map(short), [["submitApproval", target, "success"]]);
    assert.equal(clicked.lines[0]!.principal, "admin (approval link)");
    assert.equal(clicked.lines[0]!.principalId, null);
    const token = pathname.split("/").at(-1)!;
    assert.ok(!JSON.stringify([...made.lines, ...clicked.lines]).includes(token), "a link is a key");
    await pawl.ended(executionId);

    const again = (await lines("POST", "/api/v2/job/start", { body: { jobId: id } })).json.executionId;
    await pawl.readUntil(again, ({ status }) => status === "PAUSED");
    const decided = await lines("GET", `/api/v2/job/job-resume?jobExecutionId=${again}&approve=false`);
    assert.deepEqual(decided.lines.map(short), [["decideExecution", `execution ${again} null`, "success"]]);
    const restart = await lines("POST", "/api/v2/job/restart", { body: { jobExecutionId: again } });
    assert.deepEqual(restart.lines.map(short), [["restartExecution", `execution ${again} null`, "success"]]);
    await pawl.readUntil(again, ({ status }) => status === "PAUSED");
    const filter = { filters: like("jobId", id) };
    const dry = await lines("POST", "/jobExecution/bulk", { body: { action: "STOP", filter, dryRun: true } });
    assert.deepEqual(dry.lines.map(short), [["bulkControl", "execution null none: a dry run", "success"]]);
    const bulk = await lines("POST", "/jobExecution/bulk", { body: { action: "STOP", filter } });
    assert.deepEqual(bulk.lines.map(short), [["bulkControl", `execution ${again} null`, "success"]]);
    const stop = await lines("POST", "/api/v2/job/stop", { body: { jobExecutionId: again } });
    assert.equal(stop.status, 409);
    assert.deepEqual(stop.lines, [], "what was refused changed nothing");
    const removed = await lines("DELETE", `/jobs/${id}`);
    assert.deepEqual(removed.lines.map(short), [["deleteJob", `job ${id} audited`, "success"]]);
  });

  test("has who was forbidden, of starts too, and nothing of reads, faults and strangers", async () => {
    const nobody = await pawl.principal([]);
    const limited = await pawl.principal(["*:*:*"], { tags: ["none"] });
    const { data } = await pawl.client.createJob({ body: job("of others") });
    const forbidden: [string, string, object | undefined, string, string][] = [
      ["POST", "/jobs", job("x"), "createJob", "job null null"],
      ["DELETE", `/jobs/${data.id}`, undefined, "deleteJob", `job ${data.id} null`],
      ["POST", "/api/v2/job/start", { jobId: data.id }, "startJob", "job null null"],
      ["POST", "/admin/vault/rotate", undefined, "rotateVault", "vault null null"],
    ];
    for (const [method, path, body, action, target] of forbidden) {
      const found = await lines(method, path, { token: nobody.token, ...(body ? { body } : {}) });
      assert.equal(found.status, 403);
      assert.deepEqual(found.lines.map(short), [[action, target, "forbidden"]]);
      assert.equal(found.lines[0]!.principal, nobody.name);
      assert.equal(found.lines[0]!.tokenId, nobody.tokenId);
    }
    // Refused by the handler, not by the table.
    const within = await lines("POST", "/collection", { token: limited.token, body: { name: "mine" } });
    assert.equal(within.status, 403);
    assert.deepEqual(within.lines.map(short), [["createCollection", "collection null null", "forbidden"]]);

    for (const [method, path, more] of [
      ["POST", "/jobs", { token: "pawl_nobody", body: job("x") }],
      ["POST", "/jobs", { token: null, body: job("x") }],
      ["POST", "/jobs", { body: { name: "" } }],
      ["POST", "/jobs", { body: job("of others") }],
      ["GET", `/jobs/${data.id}`, {}],
      ["GET", "/admin/vault", { token: nobody.token }],
      ["POST", "/jobs/search", { body: {} }],
      ["POST", "/jobs/search", { token: nobody.token, body: {} }],
      ["POST", "/search", { body: {} }],
      ["POST", `/jobExecution/job/${data.id}`, { body: {} }],
      ["GET", "/me", {}],
      ["POST", "/nowhere", { body: {} }],
    ] as const) {
      assert.deepEqual((await lines(method, path, more)).lines, [], `${method} ${path}`);
    }
  });

  test("is searched by whoever may read it and is not limited to some jobs", async () => {
    const { client } = await pawl.principal(["AdminService:Audit:read"]);
    const found = await client.searchAudit({
      body: {
        searchText: "CREATE job",
        filters: like("outcome", "success"),
        sortBy: "at",
        sortOrder: "asc",
        size: 1,
      },
    });
    assert.equal(found.data.length, 1);
    assert.equal(found.data[0]!.action, "createJob");
    assert.ok(found.meta.totalElements > 1);
    for (const text of ["%", "_", "\\", "'", '"; drop table audit_entry; --']) {
      const { meta } = await client.searchAudit({ body: { filters: like("targetName", text) } });
      assert.equal(meta.totalElements, 0, text);
    }
    const limited = await pawl.principal(["*:*:*"], { tags: ["x"] });
    await assert.rejects(limited.client.searchAudit({ body: {} }), { code: "FORBIDDEN" });
    await assert.rejects(limited.client.verifyAudit({ body: {} }), { code: "FORBIDDEN" });
    const faults: [object, RegExp][] = [
      [{ filters: like("hash", "x") }, /hash/],
      [{ sortBy: "changed" }, /list/],
      [{ filters: like("outcome", "maybe") }, /one of success, forbidden, failed/],
    ];
    for (const [body, message] of faults) {
      const answer = await pawl.send({ method: "POST", path: "/audit/search", body });
      assert.equal(answer.status, 400);
      assert.match(answer.text, message);
    }
  });

  test("is verified over HTTP, and against a head that was noted", async () => {
    const { data } = await pawl.client.verifyAudit({ body: {} });
    assert.deepEqual([data.intact, data.faults, data.more], [true, [], 0]);
    assert.equal(data.entries, data.head.seq);
    await pawl.client.createJob({ body: job("one more") });
    const later = await pawl.client.verifyAudit({ body: { expected: data.head } });
    assert.equal(later.data.intact, true);
    assert.equal(later.data.head.seq, data.head.seq + 1);
    const wrong = await pawl.client.verifyAudit({
      body: { expected: { seq: data.head.seq, hash: "0".repeat(64) } },
    });
    assert.equal(wrong.data.intact, false);
    assert.match(wrong.message, /tampered with: 1 fault/);
  });

  test("names a type of record for every route that is audited", () => {
    const without = Object.entries<Route>(routes)
      .filter(([, route]) => isAudited(route) && typeof route.audits !== "string")
      .map(([name]) => name);
    assert.deepEqual(without, [], "give them `audits`");
  });
});
