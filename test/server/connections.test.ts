import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import type { JobInput } from "../../src/contract/job.ts";
import { echo, httpServer, type TestHttpServer } from "../helpers/http-server.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

const canary = "canary-3b90";
const decryptLimit = 6;

describe("connections of a server", () => {
  let pawl: RunningPawl;
  let target: TestHttpServer;
  let database: pg.Client;
  let id: string;
  let sealed: string;

  before(async () => {
    pawl = await startTestPawl({ PAWL_SIGN_IN_LIMIT: "5", PAWL_DECRYPT_LIMIT: `${decryptLimit}` });
    target = await httpServer(echo);
    database = new pg.Client({ connectionString: pawl.databaseUrl });
    await database.connect();
    const variables = { baseUrl: target.url, token: canary };
    const made = await pawl.client.upsertConnection({
      body: { name: "api", connectionType: "rest-api", variables },
    });
    ({ id } = made.data);
    sealed = made.data.variables.token!;
  });
  after(async () => {
    await database.end();
    await target[Symbol.asyncDispose]();
    await pawl.close();
  });

  const steps = (count: number): JobInput["steps"] =>
    Array.from({ length: count }, (_, n) => ({
      key: `s${n}`,
      type: "http",
      connectionId: id,
      input: { method: "GET", path: `/${n}` },
    }));
  const decrypted = (token?: string) =>
    pawl.send({ method: "GET", path: `/connection/decrypted/${id}`, token });

  test("keep no secret from steps and show none to callers while the audit record can't be written", async () => {
    const { data: job } = await pawl.client.createJob({ body: { name: "waits for audit", steps: steps(1) } });
    const { token } = await pawl.principal(["ConfigService:Connection:decrypt"]);
    await database.query(`create function no_room() returns trigger language plpgsql as $$
      begin raise exception 'no room' using errcode = 'disk_full'; end $$`);
    await database.query("create trigger no_room before insert on audit_entry execute function no_room()");
    const open = { method: "POST", path: "/connection/decrypt", body: { encryptedValue: sealed }, token };
    const started = (await pawl.client.startJob({ body: { jobId: job.id } })).data;
    for (const answer of await Promise.all([decrypted(token), pawl.send(open)])) {
      assert.equal(answer.status, 503, answer.text);
      assert.equal(answer.json.error.code, "STORE_UNAVAILABLE");
      assert.ok(answer.headers["retry-after"]);
      assert.ok(!answer.text.includes(canary));
    }
    const { status } = (await pawl.client.getExecution({ params: { id: started.executionId } })).data;
    assert.equal(status, "RUNNING");
    assert.equal(target.requests.length, 0, "the step has no credential yet");
    await database.query("drop trigger no_room on audit_entry");
    const { stepExecutions, ...ended } = await pawl.ended(started.executionId);
    assert.equal(ended.status, "COMPLETED", JSON.stringify(ended));
    assert.equal(stepExecutions!.length, 1);
    assert.equal(target.requests[0]!.headers.authorization, `Bearer ${canary}`);
    const { data: lines } = await pawl.client.searchAudit({
      body: {
        filters: {
          action: {
            operator: "and",
            constraints: [{ matchMode: "equals", value: "getDecryptedConnection" }],
          },
        },
      },
    });
    assert.deepEqual(
      lines.filter(({ outcome }) => outcome === "success").map((line) => [line.principal, line.client]),
      [["pawl runtime", `execution ${started.executionId}`]],
    );
    // What was refused meanwhile is told later.
    assert.ok(lines.some(({ principal, outcome }) => principal !== "pawl runtime" && outcome === "failed"));
    assert.deepEqual([...new Set(lines.map(({ targetId }) => targetId))], [id]);
  });

  test("show secrets so often and no more to one principal, and as often as they like to steps", async () => {
    const { token } = await pawl.principal(["ConfigService:Connection:decrypt"]);
    const other = await pawl.principal(["ConfigService:Connection:decrypt"]);
    const statuses = [];
    for (let n = 0; n <= decryptLimit; n++) statuses.push((await decrypted(token)).status);
    assert.deepEqual(statuses, [...Array(decryptLimit).fill(200), 429]);
    const refused = await decrypted(token);
    assert.equal(refused.json.error.code, "RATE_LIMITED");
    assert.ok(Number(refused.headers["retry-after"]) <= 60);
    assert.equal((await decrypted(other.token)).status, 200);
    const { data: job } = await pawl.client.createJob({
      body: { name: "many", steps: steps(decryptLimit + 2) },
    });
    const { data: done } = await pawl.client.startJob({ body: { jobId: job.id, async: false } });
    assert.equal(done.status, "COMPLETED");
    const client = {
      operator: "and" as const,
      constraints: [{ matchMode: "equals" as const, value: `execution ${done.executionId}` }],
    };
    const { meta } = await pawl.client.searchAudit({ body: { filters: { client } } });
    assert.equal(meta!.totalElements, decryptLimit + 2, "each step opens its connection once");
    assert.equal((await pawl.send({ method: "GET", path: `/connection/${id}`, token })).status, 200);
  });

  test("hold up who sends wrong tokens, in the form of every refusal", async () => {
    const wrong = () => pawl.send({ method: "GET", path: "/me", token: "pawl_wrong" });
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await wrong()).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429]);
    const { json, headers } = await wrong();
    assert.deepEqual([json.status, json.data, json.error.code], ["error", null, "RATE_LIMITED"]);
    assert.ok(headers["retry-after"]);
    assert.equal((await pawl.send({ method: "GET", path: "/me" })).status, 200);
    assert.equal((await pawl.send({ method: "GET", path: "/me", token: null })).status, 401);
  });

  test("take a name for a name on the wire too, and lead nowhere else by it", async () => {
    for (const name of [
      "..",
      ".",
      "%2e%2e",
      "%2e%2e%2fhealth",
      "../health/live",
      "a/b",
      "søk",
      "health",
      "%00",
    ]) {
      const { data: made } = await pawl.client.upsertConnection({
        body: { name, connectionType: "ftp", variables: { host: "a" } },
      });
      const once = encodeURIComponent(name);
      // As clients may send it that resolve nothing; dots encoded too.
      for (const spelled of new Set([once, once.replaceAll(".", "%2e"), once.replaceAll(".", "%2E")])) {
        const byName = await pawl.send({ method: "GET", path: `/connection/name/${spelled}` });
        assert.deepEqual([byName.status, byName.json?.data?.id], [200, made.id], spelled);
        const exists = await pawl.send({ method: "GET", path: `/connection/${spelled}/exists` });
        assert.deepEqual([exists.status, exists.json?.data], [200, true], spelled);
        for (const path of [`/connection/name/${spelled}`, `/connection/${spelled}/exists`]) {
          assert.equal((await pawl.send({ method: "GET", path, token: null })).status, 401, path);
        }
      }
    }
  });
});
