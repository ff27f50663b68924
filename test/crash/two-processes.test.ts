import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { createPool } from "../../src/db/pool.ts";
import { createTestDatabase } from "../helpers/database.ts";
import { type PawlProcess, pawlHome } from "../helpers/pawl-process.ts";
import { openLedger } from "./helpers/ledger.ts";
import { createLoad, type Load } from "./helpers/load.ts";
import { until } from "./helpers/records.ts";

const env = { PAWL_LOG_LEVEL: "info" };

/** Two servers on one database, the second of which stands by; callers, and a ledger of what their steps did. */
async function openPair(ownerEnv: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack();
  const { url } = opened.use(await createTestDatabase());
  const pool = createPool({ url, max: 2, applicationName: "test" });
  opened.defer(() => pool.end());
  const ledger = opened.use(await openLedger());
  const load = createLoad(ledger.url);
  const homes = [
    opened.use(pawlHome({ databaseUrl: url })),
    opened.use(pawlHome({ databaseUrl: url })),
  ] as const;
  const owner = await homes[0].start({ ...env, ...ownerEnv });
  await owner.until(/This Pawl runs the executions/);
  // The first start of a database makes the token.
  copyFileSync(join(homes[0].dataDir, "admin-token"), join(homes[1].dataDir, "admin-token"));
  const other = await homes[1].start(env);
  await other.until(/Another Pawl runs the executions of this database: this one stands by/);
  await load.setUp(owner);
  const parts = opened.move();
  return {
    owner,
    other,
    load,
    ledger,
    pool,

    /** All have ended as they must, nothing acknowledged is missing, and nothing has happened twice. */
    async assertNothingLost(switches: number): Promise<void> {
      await until("all executions to end", async () => {
        const { rowCount } = await pool.query("select from live_execution limit 1");
        return rowCount === 0;
      });
      const { rows } = await pool.query<Row>(
        `select e.id::text, e.job_name as job, e.trigger_source as label, e.status,
                array(select s.status from step_execution s where s.execution_id = e.id order by s.position) as steps
         from execution e`,
      );
      assert.deepEqual(wrongStarts(load, rows), []);
      const { rows: results } = await pool.query<{ key: string; attempts: number }>(
        "select concat_ws('/', execution_id, step_id, run) as key, attempts from step_execution",
      );
      const recorded = new Map(results.map(({ key, attempts }) => [key, attempts]));
      const wrong = [...ledger.calls].filter(([key, calls]) => {
        const tries = recorded.get(key) ?? 0;
        return calls < tries || calls > tries + switches;
      });
      assert.deepEqual(
        wrong,
        [],
        "steps that ran more often than a switch explains, or less often than recorded",
      );
      const { rows: counts } = await pool.query(
        `select (select count(*)::int from execution) as executions, sum(started)::int as started,
                (sum(completed) + sum(failed))::int as ended from job_counter`,
      );
      const [{ executions, started, ended }] = counts;
      assert.deepEqual([started, ended], [executions, executions], "the counters are a recount");
    },

    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

interface Row {
  id: string;
  job: string;
  label: string;
  status: string;
  steps: string[];
}

function wrongStarts(load: Load, rows: Row[]): unknown[] {
  const byLabel = Map.groupBy(rows, ({ label }) => label);
  const wrong: unknown[] = [];
  for (const one of load.started) {
    const found = byLabel.get(one.label) ?? [];
    byLabel.delete(one.label);
    const expected = load.expected.get(one.job)!;
    const acknowledged = one.executionId !== undefined;
    if (found.length > 1 || (acknowledged && found[0]?.id !== one.executionId)) wrong.push({ one, found });
    else if (
      found.some(({ status, steps }) => status !== expected.status || steps.join() !== expected.steps.join())
    )
      wrong.push({ one, found });
  }
  return [...wrong, ...byLabel.keys()];
}

/** Until the one that stood by runs the executions; tells how long that and the first answer took. */
async function takenOver(t: TestContext, other: PawlProcess, load: Load, since: number): Promise<void> {
  const first = load.run(other, { count: 1 }).then(() => performance.now() - since);
  await other.until(/This Pawl runs the executions/);
  const took = performance.now() - since;
  t.diagnostic(
    `took over after ${Math.round(took)} ms, answered a start after ${Math.round(await first)} ms`,
  );
}

describe("two servers on one database", () => {
  test("go on when the one that runs the executions is killed: nothing acknowledged is lost", async (t) => {
    await using pair = await openPair();
    const { owner, other, load, ledger } = pair;
    const busy = ledger.nthCall(150);
    const runs = [load.run(owner, { count: 200, inFlight: 8 }), load.run(other, { count: 400, inFlight: 8 })];
    await busy;
    const killed = performance.now();
    await owner.kill();
    await takenOver(t, other, load, killed);
    await Promise.all(runs);
    await load.repeatUnanswered(other);
    assert.deepEqual(load.refused, [], "all that was asked of the one that stood by was done");
    await pair.assertNothingLost(1);
    assert.equal((await other.terminate()).code, 0);
  });

  test("go on when it is frozen: awake again it writes nothing, and stands by", async (t) => {
    await using pair = await openPair();
    const { owner, other, load, ledger } = pair;
    const busy = ledger.nthCall(150);
    const runs = [load.run(owner, { count: 200, inFlight: 8 }), load.run(other, { count: 400, inFlight: 8 })];
    await busy;
    const frozen = performance.now();
    process.kill(owner.pid, "SIGSTOP");
    await takenOver(t, other, load, frozen);
    await runs[1];
    process.kill(owner.pid, "SIGCONT");
    await owner.until(/taken over the executions: this one stands by/);
    await runs[0];
    // All limits of time passed at once when it woke: some of what was under way may have to be asked again, and can be.
    assert.deepEqual(
      load.refused.filter(({ error }) => error.code !== "STORE_UNAVAILABLE"),
      [],
    );
    await load.repeatUnanswered(owner);
    await pair.assertNothingLost(1);

    // And back again: the one that was frozen takes its turn.
    const again = owner.until(/This Pawl runs the executions[\s\S]*This Pawl runs the executions/);
    await other.kill();
    await again;
    await load.run(owner, { count: 20 });
    await pair.assertNothingLost(2);
    assert.equal((await owner.terminate()).code, 0);
  });

  test("start once what was durable when the owner died, and not yet answered", async () => {
    await using pair = await openPair({ PAWL_FAILPOINT: "start.after-append:crash@25" });
    const { owner, other, load } = pair;
    await load.run(other, { count: 100 });
    assert.equal((await owner.ended).signal, "SIGKILL");
    assert.deepEqual(load.refused, []);
    assert.ok(load.started.every(({ executionId }) => executionId !== undefined));
    await pair.assertNothingLost(1);
    assert.equal((await other.terminate()).code, 0);
  });

  test("pause once what was paused when the owner died, and not yet answered", async () => {
    await using pair = await openPair({ PAWL_FAILPOINT: "turn.after-commit:crash@10" });
    const { owner, other, pool } = pair;
    const { data: job } = await other.client.createJob({
      body: { name: "long", steps: [{ key: "a", type: "wait", input: { durationMs: 600_000 } }] },
    });
    const started = await Promise.all(
      Array.from({ length: 30 }, () => other.client.startJob({ body: { jobId: job.id } })),
    );
    const paused = await Promise.all(
      started.map(({ data }) =>
        other.client.pauseExecution({ body: { jobExecutionId: data.executionId, reason: "all of them" } }),
      ),
    );
    assert.equal((await owner.ended).signal, "SIGKILL");
    assert.ok(paused.every(({ data }) => data.status === "PAUSED"));
    const { rows } = await pool.query(
      `select (select count(*)::int from execution where status = 'PAUSED') as paused,
              (select count(*)::int from execution_action) as actions`,
    );
    assert.deepEqual(rows, [{ paused: 30, actions: 30 }]);
    assert.equal((await other.terminate()).code, 0);
  });
});
