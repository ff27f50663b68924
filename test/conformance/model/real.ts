import type pg from "pg";
import { createPool } from "../../../src/db/pool.ts";
import type { CompiledJob, Engine, StepCall, StepOutcome } from "../../../src/engine/engine.ts";
import { StepError } from "../../../src/lib/step-error.ts";
import { engineFixture } from "../../helpers/engine-fixture.ts";
import { actor } from "../scene.ts";
import { type Answer, type Operation, outputOf, type Shape } from "./model.ts";

const waitMs = 60_000;
const advanceMs = 61_000;
const setBackMs = 3_600_000;
const never = 300 * 86_400_000;

interface Gate {
  position: number;
  run: number;
  attempt: number;
  answer(outcome: StepOutcome): void;
  fail(error: Error): void;
}

/** What the store and the code of the steps tell of the executions of a history, by slot. */
export interface Observed {
  status: string;
  run: number;
  ended: boolean;
  live: boolean;
  held: boolean;
  draining: boolean;
  parked: boolean;
  /** Its time has come, and it was not woken yet. */
  overdue: boolean;
  results: { run: number; position: number; status: string; attempts: number; output: string | null }[];
  actions: string[];
  gate: { position: number; run: number; attempt: number } | undefined;
}

/** The embedded engine under random histories: its clock can be moved on, and it can be lost without a word. */
export async function openReal(places: number) {
  const on = await engineFixture();
  const jobs = new Map<string, Promise<CompiledJob>>();
  // Of the present history, by slot.
  let ids: (string | undefined)[] = [];
  let jobIds: string[] = [];
  const gates = new Map<string, Gate>();
  const ends = new Map<string, string[]>();
  const unwatch = new Map<string, () => void>();

  let generation = 0;
  let engine: Engine;
  let pool: pg.Pool;
  // How far the clock is moved, now and at most, both ways.
  let away = 0;
  let furthest = 0;
  let lowest = 0;
  const now = Date.now;
  Date.now = () => now() + away;

  async function open(): Promise<void> {
    const own = ++generation;
    pool = createPool({ url: on.url, max: 4 });
    engine = await on.open({ pool, maxRunning: places, runStep: (call) => runStep(call, own) });
    for (const id of ids) if (id !== undefined) watch(id);
  }

  function watch(id: string): void {
    const own = generation;
    unwatch.get(id)?.();
    const stop = engine.watch(id, ({ status }) => {
      if (own === generation) ends.set(id, [...(ends.get(id) ?? []), status]);
    });
    unwatch.set(id, stop);
  }

  /** The code of every step; what a lost engine still runs is heard by nobody. */
  async function runStep(call: StepCall, own: number): Promise<StepOutcome> {
    const [, position, kind] = call.type.split(" ");
    const { id } = call.scope.execution as { id: string };
    const [, , run] = call.idempotencyKey.split("/");
    const slot = ids.indexOf(id);
    const output = outputOf(slot, Number(position), Number(run), call.attempt);
    if (kind === "instant") return { output };
    if (kind === "timer") return { output, until: Date.now() + waitMs };
    if (kind === "never") return { output, until: Date.now() + never };
    if (own !== generation || slot === -1) return new Promise(() => {});
    const late = gates.get(id);
    return new Promise((answer, fail) => {
      gates.set(id, { position: Number(position), run: Number(run), attempt: call.attempt, answer, fail });
      // Abandoned code that answers after all.
      late?.answer({ output: "late" });
    });
  }

  function jobOf(steps: readonly Shape[]): Promise<CompiledJob> {
    const name = JSON.stringify(steps);
    const found = jobs.get(name) ?? makeJob(steps.map((step) => ({ ...step })));
    jobs.set(name, found);
    return found;
  }

  async function makeJob(
    steps: (Omit<Shape, "kind"> & { kind: Shape["kind"] | "never" })[],
  ): Promise<CompiledJob> {
    return on.jobOf(
      ...steps.map(({ kind, retries, continues }, i) => ({
        run: () => Promise.reject(new Error("The code of the history runs instead.")),
        type: `step ${i} ${kind}`,
        ...(kind === "skip" ? { when: () => false } : {}),
        retry: { maxAttempts: retries ? 2 : 1, initialDelayMs: waitMs, factor: 1, maxDelayMs: waitMs },
        onError: continues ? ("continue" as const) : ("fail" as const),
      })),
    );
  }

  await open();
  // Parked for good: a pause of it that ends at once makes the engine look at what is due.
  const parked = await makeJob([{ kind: "never", retries: false, continues: false }]);
  const bell = on.executionOf(parked);
  await engine!.start(bell);

  async function advance(): Promise<void> {
    furthest += advanceMs;
    away = furthest;
    for (;;) {
      try {
        // Earlier than anything that the engine's timer is set to: it doesn't notice that its clock was moved.
        await engine.pause({ executionId: bell.id, actor: "clock", resumeAt: 0 });
        return;
      } catch (error) {
        if ((error as { code?: string }).code !== "INVALID_STATE") throw error;
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async function quiet(): Promise<void> {
    for (;;) {
      const { rows } = await on.pool.query("select held from live_execution where execution_id = $1", [
        bell.id,
      ]);
      if (rows[0].held === null) return;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** Lets go of the code that runs. The function lets it answer, when nobody may listen any more. */
  function forget(): () => void {
    const left = [...gates.values()];
    gates.clear();
    return () => {
      for (const gate of left) gate.answer({ output: "late" });
    };
  }

  /** The engine is gone in the middle of whatever it did, and the next one takes over; what it still tries must fail. */
  async function crash(cut: boolean): Promise<void> {
    const lost = engine;
    const lostPool = pool;
    generation++;
    const answerLate = forget();
    await on.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = any($1)`,
      [cut ? ["pawl-owner", "pawl-journal"] : ["pawl-owner"]],
    );
    void lostPool.end().catch(() => undefined);
    while (true) {
      try {
        await open();
        break;
      } catch (error) {
        if (!(error as Error).message.startsWith("Another engine")) throw error;
      }
    }
    answerLate();
    void on.close(lost).catch(() => undefined);
  }

  async function perform(operation: Operation): Promise<Answer> {
    if (operation.do === "advance") return advance().then(() => "done");
    if (operation.do === "set back") {
      // A look at what is due, begun by the clock of before, must not see what is made by the one after.
      await quiet();
      // Before anything that is waited for, also when it was set back earlier.
      lowest -= setBackMs;
      away = lowest;
      return "done";
    }
    if (operation.do === "crash") return crash(operation.cut).then(() => "done");
    if (operation.do === "reopen") {
      generation++;
      const answerLate = forget();
      await on.close(engine);
      await pool.end();
      await open();
      answerLate();
      return "done";
    }
    if (operation.do === "start") {
      const job = await jobOf(operation.steps);
      const execution = on.executionOf(job);
      ids[operation.slot] = execution.id;
      jobIds.push(job.jobId);
      watch(execution.id);
      if (!(await engine.start(execution))) throw new Error("A start was refused.");
      return "done";
    }
    const id = ids[operation.slot]!;
    if (operation.do === "finish" || operation.do === "fail") {
      const gate = gates.get(id);
      gates.delete(id);
      if (!gate) throw new Error("There is no code to finish.");
      if (operation.do === "fail") {
        gate.fail(new StepError("BAD", "No.", { retryable: operation.retryable }));
      } else {
        gate.answer({ output: outputOf(operation.slot, gate.position, gate.run, gate.attempt) });
      }
      return "done";
    }
    const request = { executionId: id, actor };
    if (operation.do === "pause") {
      const resumeAt = operation.resumes ? Date.now() + waitMs / 2 : undefined;
      return (await engine.pause({ ...request, resumeAt })).status;
    }
    if (operation.do === "restart") {
      watch(id);
      const fromStep = operation.from === undefined ? undefined : `s${operation.from}`;
      return (await engine.restart({ ...request, fromStep })).status;
    }
    return (await engine[operation.do](request)).status;
  }

  return {
    check: () => engine.check(),
    ends: (slot: number): string[] => ends.get(ids[slot]!) ?? [],

    async perform(operation: Operation): Promise<Answer> {
      try {
        return await perform(operation);
      } catch (error) {
        const { code } = error as { code?: string };
        if (code === "INVALID_STATE" || code === "VALIDATION_FAILED") return code;
        throw error;
      }
    },

    /** Does them together with the loss of the engine: what nobody answered may have happened or not. */
    async performAndCrash(operations: readonly Operation[], cut: boolean): Promise<Answer[]> {
      const answers = operations.map((operation) =>
        this.perform(operation).catch((error: Error): Answer => {
          if (error.message === "A start was refused.") throw error;
          return "lost";
        }),
      );
      await crash(cut);
      return Promise.all(answers);
    },

    async observe(): Promise<(Observed | undefined)[]> {
      const { rows } = await on.pool.query(
        `select e.id::text, e.status, e.run, e.ended_at is not null as ended, l.execution_id is not null as live, l.held is not null as held,
                coalesce(l.draining, false) as draining, l.due_at is not null as parked,
                coalesce(least(case when l.held is null then l.due_at end, l.act_at) <= $2, false) as overdue,
                (select coalesce(json_agg(json_build_object('run', s.run, 'position', s.position, 'status', s.status,
                          'attempts', s.attempts, 'output', s.output::text) order by s.run, s.position), '[]')
                 from step_execution s where s.execution_id = e.id) as results,
                (select coalesce(json_agg(concat(a.action, ' ', a.from_status, '>', a.to_status) order by a.id), '[]')
                 from execution_action a where a.execution_id = e.id) as actions
         from execution e left join live_execution l on l.execution_id = e.id where e.id = any($1::uuid[])`,
        [ids.filter((id) => id !== undefined), new Date(Date.now())],
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = id === undefined ? undefined : byId.get(id);
        if (!row) return undefined;
        const gate = gates.get(id!);
        return {
          ...row,
          gate: gate && { position: gate.position, run: gate.run, attempt: gate.attempt },
        };
      });
    },

    /** Gates of code that was stopped stay, like code that ignores its signal; an ended execution has none. */
    abandon(slot: number): void {
      const id = ids[slot];
      if (id === undefined) return;
      gates.get(id)?.answer({ output: "late" });
      gates.delete(id);
    },

    /** What took less than no time, because the clock was set back meanwhile. */
    async untimely(): Promise<unknown[]> {
      const { rows } = await on.pool.query(
        `select 'execution' as what, id::text, started_at, ended_at from execution where id = any($1::uuid[]) and ended_at < started_at
         union all
         select 'step', execution_id::text, started_at, ended_at from step_execution where execution_id = any($1::uuid[]) and ended_at < started_at`,
        [ids.filter((id) => id !== undefined)],
      );
      return rows;
    },

    /** The figures of the jobs of this history, as they are kept and counted anew; equal, or something is wrong. */
    async counts() {
      const { rows } = await on.pool.query(
        `with kept as (
           select job_id, sum(started)::int as started, sum(completed)::int as completed, sum(failed)::int as failed,
                  sum(stopped)::int as stopped, sum(duration_ms)::float8 as ms from job_counter where job_id = any($1::uuid[]) group by job_id
         ), recount as (
           select job_id, count(*)::int as started, count(*) filter (where status = 'COMPLETED')::int as completed,
                  count(*) filter (where status = 'FAILED')::int as failed, count(*) filter (where status = 'STOPPED')::int as stopped,
                  coalesce(sum(floor(extract(epoch from ended_at - started_at) * 1000)), 0)::float8 as ms
           from execution where job_id = any($1::uuid[]) group by job_id
         )
         select to_json(kept.*) as kept, to_json(recount.*) as recount from kept full join recount using (job_id)`,
        [jobIds],
      );
      return rows as { kept: unknown; recount: unknown }[];
    },

    /** Begins a history with nothing of the one before. */
    async reset(): Promise<void> {
      const { rows } = await on.pool.query<{ id: string }>(
        "select execution_id::text as id from live_execution where execution_id <> $1",
        [bell.id],
      );
      if (rows.length > 0) await crash(true);
      // One may end by itself meanwhile.
      for (const { id } of rows)
        await engine.stop({ executionId: id, actor: "reset" }).catch(() => undefined);
      forget()();
      ids = [];
      jobIds = [];
      ends.clear();
      away = furthest;
      lowest = 0;
    },

    rows: async () => {
      const known = ids.filter((id) => id !== undefined);
      const tables = ["execution", "live_execution", "step_execution", "execution_run", "execution_action"];
      const found: Record<string, unknown[]> = {};
      for (const table of tables) {
        const key = table === "execution" ? "id" : "execution_id";
        const { rows } = await on.pool.query(`select * from ${table} where ${key} = any($1::uuid[])`, [
          known,
        ]);
        found[table] = rows;
      }
      return found;
    },

    async dispose(): Promise<void> {
      await on.close(engine);
      await pool.end();
      Date.now = now;
      await on.dispose();
    },
  };
}

export type Real = Awaited<ReturnType<typeof openReal>>;
