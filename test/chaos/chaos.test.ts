import assert from "node:assert/strict";
import { test } from "node:test";
import { chaos } from "./run.ts";

const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

test(`loses and doubles nothing while the server is killed and its database stopped (seed ${seed})`, async (t) => {
  const report = await chaos({
    seed,
    executions: 100,
    perSecond: 20,
    atATime: 40,
    killEvery: [800, 2_000],
    stopEvery: [2_000, 5_000],
    stopFor: [0, 800],
    patienceMs: 20_000,
  });
  const { dump, wrongs, ...figures } = report;
  t.diagnostic(JSON.stringify(figures));
  assert.deepEqual(wrongs, [], JSON.stringify(dump));
  assert.ok(report.kills >= 2 && report.outages >= 1, "there were faults to survive");
});

test("sees what is lost, doubled, forgotten or told untruly", async () => {
  const never = [1e9, 1e9] as const;
  const calm = {
    atATime: 40,
    seed,
    perSecond: 50,
    killEvery: never,
    stopEvery: never,
    stopFor: never,
    patienceMs: 20_000,
  };
  const { wrongs } = await chaos({
    ...calm,
    executions: 40,
    async spoil(pool, calls, stories) {
      const { rows } = await pool.query<{ id: string }>(
        // Jobs of three steps.
        "select id::text from execution where job_name in ('plain', 'waits', 'asks') and status = 'COMPLETED' and run = 1 order by id limit 6",
      );
      assert.equal(rows.length, 6, "too few executions came to an end undisturbed to spoil them");
      const [lost, stopped, unrecorded, ranAgain, live, late] = rows.map(({ id }) => id) as [
        string,
        ...string[],
      ];
      await pool.query("delete from execution where id = $1", [lost]);
      await pool.query("update execution set status = 'STOPPED' where id = $1", [stopped]);
      await pool.query("delete from step_execution where execution_id = $1 and position = 1", [unrecorded]);
      const called = [...calls].filter(([key]) => key.startsWith(ranAgain!))[0]![1];
      called.unshift(called[0]! - 1);
      await pool.query(
        "insert into live_execution (execution_id, job_id) select id, job_id from execution where id = $1",
        [live],
      );
      for (const [key, times] of calls) if (key.startsWith(late!)) times[times.length - 1]! += 60_000;
      // Of a story that nothing else is done to, and whose caller was told of the pause: load may have had others refused.
      const paused = stories.find(
        ({ executionId, asked }) =>
          !rows.some(({ id }) => id === executionId) &&
          asked.some(({ action, answer }) => action === "pause" && answer === "done"),
      );
      await pool.query("delete from execution_action where execution_id = $1 and action = 'PAUSE'", [
        paused?.executionId,
      ]);
    },
  });
  for (const what of [
    /is lost/,
    /ended STOPPED and should have ended COMPLETED/,
    /is COMPLETED with 2 of 3 results/,
    /was called 2 times, 1 tries and 0 deaths/,
    /still live/,
    /was called after its result was recorded/,
    /pause were answered, \d are in the history/,
    /the counters say/,
  ]) {
    assert.ok(
      wrongs.some((wrong) => what.test(wrong)),
      `nobody saw ${what}:\n${wrongs.join("\n")}`,
    );
  }
});
