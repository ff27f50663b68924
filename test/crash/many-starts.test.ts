import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Pool } from "undici";
import { createPool } from "../../src/db/pool.ts";
import { createTestDatabase } from "../helpers/database.ts";
import { type PawlProcess, pawlHome } from "../helpers/pawl-process.ts";
import { until } from "./helpers/records.ts";

const sockets = 1_000;

interface Answer {
  status: number;
  retryAfter: string | undefined;
  executionId: string | undefined;
  code: string | undefined;
}

/** Sends all starts at once, over as many connections as may be open. */
async function startAll(pawl: PawlProcess, jobId: string, starts: number): Promise<Answer[]> {
  const pool = new Pool(pawl.url, { connections: sockets, pipelining: 1 });
  const headers = { authorization: `Bearer ${pawl.token}`, "content-type": "application/json" };
  const body = JSON.stringify({ jobId });
  try {
    return await Promise.all(
      Array.from({ length: starts }, async () => {
        const response = await pool.request({ method: "POST", path: "/api/v2/job/start", headers, body });
        const { executionId, error } = (await response.body.json()) as {
          executionId?: string;
          error?: { code: string };
        };
        return {
          status: response.statusCode,
          retryAfter: response.headers["retry-after"] as string | undefined,
          executionId,
          code: error?.code,
        };
      }),
    );
  } finally {
    await pool.close();
  }
}

/** The most memory that a process has had, in MiB. */
function peakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
}

for (const [starts, what, env] of [
  [10_000, "", {}],
  [4_000, ", of those it takes when it must refuse some", { PAWL_MAX_RUNNING: "20", PAWL_MAX_QUEUED: "400" }],
] as const) {
  test(`runs each of ${starts} starts that come at once${what}`, async (t) => {
    await using database = await createTestDatabase();
    await using home = pawlHome({ databaseUrl: database.url });
    await using opened = new AsyncDisposableStack();
    const db = createPool({ url: database.url, max: 1, applicationName: "test" });
    opened.defer(() => db.end());
    const pawl = await home.start({ ...env });
    const set = (key: string) => ({ key, type: "set", input: { values: { n: 1 } } });
    const { data: job } = await pawl.client.createJob({
      body: { name: "three steps", steps: [set("a"), set("b"), set("c")] },
    });

    const answers = await pawl.whileUp(startAll(pawl, job.id, starts));
    const made = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, retryAfter } of refused) {
      assert.equal(status, 503);
      assert.ok(Number(retryAfter) > 0, "says when to come back");
    }
    await until("all to end", async () => {
      const { rowCount } = await db.query("select from live_execution limit 1");
      return rowCount === 0;
    });
    const { rows } = await db.query<{ id: string }>(
      "select id::text from execution where status = 'COMPLETED' order by id",
    );
    const recorded = new Set(rows.map(({ id }) => id));
    const lost = made.filter(({ executionId }) => !recorded.has(executionId!));
    assert.deepEqual(lost, []);
    // One that the database was too slow for may be made after its answer said so; one that had no room never is.
    const slow = refused.filter(({ code }) => code === "STORE_UNAVAILABLE");
    assert.ok(recorded.size <= made.length + slow.length, `${recorded.size} of ${made.length} made`);
    const memory = peakMemory(pawl.pid);
    t.diagnostic(`${made.length} made, ${refused.length} refused, ${Math.round(memory)} MiB at most`);
    assert.ok(memory < 512, `took ${memory} MiB`);
    await pawl.client.ready();
    assert.equal((await pawl.terminate()).code, 0);
  });
}
