import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { type EngineFixture, engineFixture, gate } from "../../../test/helpers/engine-fixture.ts";
import type { Ending, EngineEvent } from "../../engine/engine.ts";
import { newId } from "../../lib/ids.ts";
import { lockKeys } from "./ownership.ts";
import type { SharedEngine } from "./shared.ts";
import { claimDue } from "./store.ts";

const answer = (output: unknown) => async () => ({ output });
const limitMs = 15_000;

/** The database tells nobody: asks again and again. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const limit = performance.now() + limitMs;
  while (!(await holds())) {
    assert.ok(performance.now() < limit, `waited ${limitMs} ms for ${what}`);
    await delay(5);
  }
}

function watchEnd(engine: SharedEngine, id: string): Promise<Ending> {
  return new Promise((resolve) => engine.watch(id, resolve));
}

describe("two engines on one database", () => {
  let on: EngineFixture;
  before(async () => {
    on = await engineFixture();
  });
  after(() => on.dispose());

  async function pair(): Promise<{ owner: SharedEngine; other: SharedEngine }> {
    const owner = await on.share();
    const other = await on.share();
    assert.deepEqual([owner.runsHere(), other.runsHere()], [true, false]);
    return { owner, other };
  }

  async function actionsOf(id: string): Promise<string[]> {
    const { rows } = await on.pool.query(
      "select action from execution_action where execution_id = $1 order by at, id",
      [id],
    );
    return rows.map(({ action }) => action);
  }

  test("do through the one that stands by all that the owner does, with the same answers", async () => {
    const { owner, other } = await pair();
    const first = gate();
    const job = await on.jobOf(
      {
        async run() {
          await first.pass();
          return { output: 1 };
        },
      },
      { run: answer(2) },
    );
    const execution = on.executionOf(job);
    const by = { executionId: execution.id, actor: "ana", reason: "to see" };

    assert.equal(await other.start(execution), true);
    assert.equal(await other.start({ ...execution, workflowId: newId() }), false, "the id is taken");
    await first.reached;
    assert.equal((await other.pause(by)).status, "PAUSED");
    await assert.rejects(other.pause(by), { name: "ApiError", code: "INVALID_STATE" });
    await assert.rejects(other.stop({ ...by, executionId: newId() }), { code: "NOT_FOUND" });
    assert.equal((await other.resume(by)).status, "RUNNING");
    const stopped = watchEnd(other, execution.id);
    assert.equal((await other.stop(by)).status, "STOPPED");
    assert.equal((await stopped).status, "STOPPED");
    first.open();
    const ended = watchEnd(other, execution.id);
    const restarted = await other.restart(by);
    assert.equal(restarted.step?.key, "s0");
    assert.ok(restarted.workflowId);
    assert.deepEqual(await ended.then(({ status, output }) => ({ status, output })), {
      status: "COMPLETED",
      output: 2,
    });
    assert.deepEqual(await actionsOf(execution.id), ["PAUSE", "RESUME", "STOP", "RESTART"]);
    await on.close(other);
    await on.close(owner);
  });

  test("tell whoever waits for the end of a start at the one that stands by", async () => {
    const { owner, other } = await pair();
    const job = await on.jobOf({ run: answer("done") });
    const ends = await Promise.all(Array.from({ length: 200 }, () => on.runToEnd(other, job)));
    assert.ok(ends.every(({ status, output }) => status === "COMPLETED" && output === "done"));
    const { rows } = await on.pool.query("select count(*)::int as left from engine_request");
    assert.equal(rows[0].left, 0, "requests leave nothing behind");
    await on.close(other);
    await on.close(owner);
  });

  test("tell of every change of status to those who subscribed at the one that stands by", async () => {
    const { owner, other } = await pair();
    const job = await on.jobOf({ run: answer(1) }, { run: answer(2) });
    const events: EngineEvent[] = [];
    const unsubscribe = other.subscribe((event) => events.push(event));
    // The owner begins to tell when it has heard of the interest.
    await until("an event", async () => {
      await on.runToEnd(other, job);
      return events.length > 0;
    });
    const { id } = await on.runToEnd(other, job);
    const mine = () => events.filter(({ executionId }) => executionId === id);
    await until("the end to be told", () =>
      mine().some(({ status, step }) => status === "COMPLETED" && !step),
    );
    assert.deepEqual(
      mine().map(({ status, step }) => [step?.key, status].join(" ").trim()),
      ["RUNNING", "s0 RUNNING", "s0 COMPLETED", "s1 RUNNING", "s1 COMPLETED", "COMPLETED"],
    );
    unsubscribe();
    await on.close(other);
    await on.close(owner);
  });

  test("say that something may have been missed when another one runs the executions, and tell on from there", async () => {
    const { owner, other } = await pair();
    const third = await on.share();
    const heard = [owner, other, third].map((engine) => {
      const own = { gaps: 0, ends: 0 };
      engine.subscribe(
        ({ status, step }) => {
          if (status === "COMPLETED" && !step) own.ends++;
        },
        () => own.gaps++,
      );
      return own;
    });
    const [, atOther, atThird] = heard as [unknown, (typeof heard)[0], (typeof heard)[0]];
    await until("both to hear the owner", () => atOther.gaps === 1 && atThird.gaps === 1);
    await on.close(owner);
    await until("both to know of the switch", () => atOther.gaps === 2 && atThird.gaps === 2);
    const job = await on.jobOf({ run: answer(1) });
    for (let i = 0; i < 3; i++) await on.runToEnd(other, job);
    await until("both to hear of the ends", () => atOther.ends === 3 && atThird.ends === 3);
    assert.deepEqual([atOther.gaps, atThird.gaps], [2, 2], "nothing was missed since");
    await on.close(third);
    await on.close(other);
  });

  test("hand the executions on when the owner drains, once its steps are done, and lose none", async () => {
    const { owner, other } = await pair();
    const first = gate();
    const ran: string[] = [];
    const job = await on.jobOf(
      {
        async run() {
          ran.push("s0");
          await first.pass();
          return { output: 1 };
        },
      },
      {
        async run({ scope }) {
          ran.push("s1");
          return { output: [scope.steps.s0!.output, 2] };
        },
      },
    );
    const execution = on.executionOf(job);
    const ended = watchEnd(owner, execution.id);
    await owner.start(execution);
    await first.reached;
    owner.drain();
    const started = on.runToEnd(other, await on.jobOf({ run: answer("at the other") }));
    assert.equal(owner.runsHere(), true, "its step is under way");
    first.open();
    await until("the other to run them", () => other.runsHere());
    assert.deepEqual([(await ended).output, (await started).output], [[1, 2], "at the other"]);
    assert.deepEqual(ran, ["s0", "s1"], "no step was cut off");
    assert.throws(() => owner.check(), { code: "OVERLOADED" });
    assert.equal(
      (await owner.pause({ executionId: execution.id, actor: "ana" }).catch((error) => error)).code,
      "INVALID_STATE",
    );
    await on.close(owner);
    await on.close(other);
  });

  test("keep the executions when the owner drains and nobody stands by", async () => {
    const engine = await on.share();
    engine.drain();
    await delay(700);
    assert.equal(engine.runsHere(), true);
    await on.close(engine);
  });

  test("hand the executions on when the owner ends, with what it had begun", async () => {
    const { owner, other } = await pair();
    let tries = 0;
    const first = gate();
    const job = await on.jobOf({
      async run({ signal }) {
        if (++tries > 1) return { output: "again" };
        await first.pass();
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const { ended } = await on.begin(other, job);
    first.open();
    await first.reached;
    await on.close(owner);
    assert.deepEqual(await ended.then(({ status, output }) => ({ status, output })), {
      status: "COMPLETED",
      output: "again",
    });
    assert.equal(other.runsHere(), true);
    const third = await on.share();
    assert.equal(third.runsHere(), false, "one owner at a time");
    await on.close(third);
    await on.close(other);
  });

  test("answer a request that was under way at the switch, from the new owner", async () => {
    const { owner, other } = await pair();
    const job = await on.jobOf({ run: answer(1) });
    const closing = on.close(owner);
    const starts = Array.from({ length: 50 }, () => on.runToEnd(other, job));
    await closing;
    const ends = await Promise.all(starts);
    assert.ok(ends.every(({ status }) => status === "COMPLETED"));
    assert.equal(other.runsHere(), true);
    const { rows } = await on.pool.query("select count(*)::int as count from execution where job_id = $1", [
      job.jobId,
    ]);
    assert.equal(rows[0].count, 50);
    await on.close(other);
  });

  test("let what was handed over be answered before the one that stands by closes", async () => {
    const { owner, other } = await pair();
    const job = await on.jobOf({ run: answer(1) });
    const running = Array.from({ length: 20 }, () => on.runToEnd(other, job));
    await on.close(other, 5_000);
    const ends = await Promise.all(running);
    assert.ok(ends.every(({ status }) => status === "COMPLETED"));
    await on.close(owner);
  });

  test("take over from an owner whose session lives and shows no life, and keep it from writing", async () => {
    const frozen = new pg.Client({ connectionString: on.url });
    frozen.on("error", () => {});
    const ended = new Promise((resolve) => frozen.once("end", resolve));
    await frozen.connect();
    await frozen.query("select pg_advisory_lock($1, $2)", [...lockKeys]);
    const { rows } = await on.pool.query("select owner::text from journal_lane where lane = 0");
    const former = rows[0].owner;
    // As a former owner's transaction that stands still in the middle would.
    const midway = new pg.Client({ connectionString: on.url, application_name: "pawl-journal" });
    midway.on("error", () => {});
    await midway.connect();
    await midway.query("begin");
    await midway.query("update journal_lane set batch = batch + 1");

    const begun = performance.now();
    const engine = await on.share();
    assert.equal(engine.runsHere(), false);
    const job = await on.jobOf({ run: answer(1) });
    const { status } = await on.runToEnd(engine, job);
    assert.equal(status, "COMPLETED");
    assert.equal(engine.runsHere(), true);
    assert.ok(performance.now() - begun < 10_000, "asked of nobody, done by the next owner");
    await ended;

    await on.pool.query(
      "insert into live_execution (execution_id, due_at) values ($1, now() - interval '1 minute')",
      [newId()],
    );
    await assert.rejects(claimDue(on.pool, former, Date.now(), 10), { name: "FencedError" });
    await on.close(engine);
    await on.pool.query("delete from live_execution");
  });

  test("go on when the owner finds that it is one no more, and loses nothing that was asked of it", async () => {
    const { owner, other } = await pair();
    const job = await on.jobOf({ run: answer(1) });
    await on.pool.query("update journal_lane set owner = owner + 1");
    const execution = on.executionOf(job);
    const ended = watchEnd(owner, execution.id);
    assert.equal(await owner.start(execution), true, "it is handed over");
    assert.equal((await ended).status, "COMPLETED");
    assert.equal(Number(owner.runsHere()) + Number(other.runsHere()), 1);
    await on.close(other);
    await on.close(owner);
  });

  test("do nothing twice that is asked again", async () => {
    const engine = await on.open();
    const job = await on.jobOf({
      run: ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    });
    const { id } = await on.begin(engine, job);
    const ask = () => ({ executionId: id, actor: "ana", actionId: newId() });
    for (const action of ["pause", "resume", "stop", "restart"] as const) {
      const request = ask();
      const once = await engine[action](request);
      assert.deepEqual(await engine[action](request), once);
    }
    assert.deepEqual(await actionsOf(id), ["PAUSE", "RESUME", "STOP", "RESTART"]);
    assert.equal(await on.statusOf(id), "RUNNING");
    await on.close(engine);
  });
});
