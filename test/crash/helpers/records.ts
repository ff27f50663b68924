import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import type { PawlProcess } from "../../helpers/pawl-process.ts";
import type { Ledger } from "./ledger.ts";
import type { Load } from "./load.ts";

/** Compares what Pawl has recorded with what its callers and the world outside know. */
export interface Records {
  /** To be called after each death of the server, before the next start. */
  noteCrash(): Promise<void>;
  /** Keys of calls that have come and are not recorded as a try. */
  unrecordedCalls(): Promise<string[]>;
  /** Waits for the end of all executions. Then everything must agree, to the last call. */
  assertExact(pawl: PawlProcess): Promise<void>;
}

const patienceMs = 60_000;

export function createRecords(pool: pg.Pool, ledger: Ledger, load: Load): Records {
  // By key: calls whose outcome died with the process, and calls that had come when the result was found recorded.
  const lost = new Map<string, number>();
  const settledAt = new Map<string, number>();

  /** Tries of each step that are recorded, by the key its calls carry. */
  async function recordedTries(): Promise<{ tries: Map<string, number>; settled: Set<string> }> {
    const results = await pool.query<{ key: string; attempts: number }>(
      "select concat_ws('/', execution_id, step_id, run) as key, attempts from step_execution",
    );
    const parked = await pool.query<{
      id: string;
      run: number;
      job: string;
      position: number;
      attempts: number;
    }>(
      `select e.id::text, e.run, e.job_name as job, l.position, l.attempts
       from live_execution l join execution e on e.id = l.execution_id where l.position is not null`,
    );
    const tries = new Map<string, number>();
    for (const { id, run, job, position, attempts } of parked.rows) {
      tries.set(`${id}/${load.steps.get(job)![position]}/${run}`, attempts);
    }
    for (const { key, attempts } of results.rows) tries.set(key, attempts);
    return { tries, settled: new Set(results.rows.map(({ key }) => key)) };
  }

  /** No connection of the dead process is left: what it had sent is committed or never will be. */
  async function untilDisconnected(): Promise<void> {
    await until("the dead server's connections to end", async () => {
      const { rowCount } = await pool.query(
        "select from pg_stat_activity where datname = current_database() and application_name like 'pawl%'",
      );
      return rowCount === 0;
    });
  }

  async function assertStarts(): Promise<void> {
    const { rows } = await pool.query<{
      id: string;
      job: string;
      label: string;
      status: string;
      live: boolean;
    }>("select id::text, job_name as job, trigger_source as label, status from execution");
    const byLabel = Map.groupBy(rows, ({ label }) => label);
    const wrong: unknown[] = [];
    for (const one of load.started) {
      const found = byLabel.get(one.label) ?? [];
      byLabel.delete(one.label);
      const acknowledged = one.executionId !== undefined;
      if (found.length > 1 || (acknowledged && found[0]?.id !== one.executionId)) wrong.push({ one, found });
      for (const { status } of found) {
        if (status !== load.expected.get(one.job)!.status) wrong.push({ one, found });
      }
    }
    assert.deepEqual(wrong, [], "starts that were lost, doubled or ended wrongly");
    assert.deepEqual([...byLabel.keys()], [], "executions that nobody started");
  }

  async function assertSteps(): Promise<void> {
    const { rows } = await pool.query<{
      id: string;
      job: string;
      run: number;
      steps: string[];
      positions: number[];
    }>(
      `select e.id::text, e.job_name as job, e.run, array_agg(s.status order by s.position) as steps,
              array_agg(s.position order by s.position) as positions
       from execution e join step_execution s on s.execution_id = e.id and s.run = e.run group by e.id`,
    );
    const wrong = rows.filter(({ job, steps, positions }) => {
      const expected = load.expected.get(job)!.steps;
      return steps.join() !== expected.join() || positions.some((position, i) => position !== i);
    });
    assert.deepEqual(wrong, [], "executions whose steps are not what they must be");
    const { rows: early } = await pool.query(
      `select execution_id, started_at, ended_at, output from step_execution where ended_at < (output ->> 'waitedUntil')::timestamptz`,
    );
    assert.deepEqual(early, [], "waits that ended before their time");
    const { rows: counts } = await pool.query("select count(*)::int as count from execution");
    assert.equal(rows.length, counts[0].count, "every execution has steps");
  }

  async function assertCalls(): Promise<void> {
    const { tries } = await recordedTries();
    const wrong = [...ledger.calls]
      .map(([key, calls]) => ({ key, calls, lost: lost.get(key) ?? 0, recorded: tries.get(key) ?? 0 }))
      .filter(({ calls, lost, recorded }) => calls !== lost + recorded);
    assert.deepEqual(
      wrong,
      [],
      "steps that ran more often than a crash explains, or whose result is not theirs",
    );
    const { rows } = await pool.query<{ key: string }>(
      `select concat_ws('/', execution_id, step_id, run) as key from step_execution
       where status = 'COMPLETED' and output::jsonb ? 'headers'`,
    );
    assert.deepEqual(
      rows.filter(({ key }) => !ledger.calls.has(key)),
      [],
      "results of calls that never came",
    );
  }

  async function assertCounters(pawl: PawlProcess): Promise<void> {
    const { rows: kept } = await pool.query(
      `select job_id, sum(started)::int as started, sum(completed)::int as completed, sum(failed)::int as failed,
              sum(stopped)::int as stopped, sum(duration_ms)::int as duration_ms, min(min_ms)::int as min_ms, max(max_ms)::int as max_ms
       from job_counter group by job_id order by job_id`,
    );
    const { rows: counted } = await pool.query(
      `select job_id, count(*)::int as started, count(*) filter (where status = 'COMPLETED')::int as completed,
              count(*) filter (where status = 'FAILED')::int as failed, count(*) filter (where status = 'STOPPED')::int as stopped,
              sum(ms)::int as duration_ms, min(ms)::int as min_ms, max(ms)::int as max_ms
       from (select job_id, status, floor(extract(epoch from ended_at - started_at) * 1000) as ms from execution) as e
       group by job_id order by job_id`,
    );
    assert.deepEqual(kept, counted, "the counters are a recount of the executions");
    for (const row of counted) {
      const { data } = await pawl.client.getExecutionSummary({ params: { jobId: row.job_id } });
      assert.deepEqual(
        [data.totalExecutions, data.successCount, data.failureCount],
        [row.started, row.completed, row.failed],
      );
    }
  }

  return {
    async noteCrash() {
      await ledger.quiet();
      await untilDisconnected();
      const { tries, settled } = await recordedTries();
      for (const [key, calls] of ledger.calls) {
        const before = settledAt.get(key);
        assert.equal(before ?? calls, calls, `the step ${key} ran again after its result was recorded`);
        if (settled.has(key)) settledAt.set(key, calls);
        const missing = calls - (tries.get(key) ?? 0);
        const known = lost.get(key) ?? 0;
        assert.ok(
          missing === known || missing === known + 1,
          `the step ${key} ran ${missing - known} times unrecorded`,
        );
        if (missing > 0) lost.set(key, missing);
      }
    },

    async unrecordedCalls() {
      const { tries } = await recordedTries();
      return [...ledger.calls.keys()].filter((key) => !tries.has(key));
    },

    async assertExact(pawl) {
      await until("all executions to end", async () => {
        const { rowCount } = await pool.query("select from live_execution limit 1");
        return rowCount === 0;
      });
      await assertStarts();
      await assertSteps();
      await assertCalls();
      await assertCounters(pawl);
      await pawl.client.ready();
    },
  };
}

/** Asks again and again: the database tells nobody. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  limitMs = patienceMs,
): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await holds())) {
    assert.ok(performance.now() < limit, `waited ${limitMs} ms for ${what}`);
    await delay(10);
  }
}
