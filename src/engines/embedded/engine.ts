import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type {
  CompiledJob,
  Ending,
  Engine,
  EngineEvent,
  NewExecution,
  StepRunner,
} from "../../engine/engine.ts";
import { type Journal, openJournal } from "../../engine/journal/journal.ts";
import { FencedError } from "../../engine/journal/lane.ts";
import { type RunLimits, runSteps } from "../../engine/loop.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { openBacklog } from "./backlog.ts";
import { embeddedContext, LetGo, type Recorded, type RunState } from "./context.ts";
import { drainedTurn, endTurn, pauseTurn, restartTurn, resumeTurn, stopTurn } from "./control.ts";
import type { Effects } from "./control-turn.ts";
import { askTurn, decideTurn } from "./decision.ts";
import type { Ownership } from "./ownership.ts";
import { openPlaces } from "./places.ts";
import { runOf } from "./run-of.ts";
import { findRunnable, forgetDraining, loadUnfinished, type Unfinished } from "./store.ts";
import { wakeUp } from "./wake-up.ts";

export interface EmbeddedOptions {
  pool: pg.Pool;
  /** Of the same database: the journal has connections of its own. */
  url: string;
  ownership: Ownership;
  /** The definition that an execution started with; undefined if it can't be had any more. */
  loadJob(jobId: string, version: number): Promise<CompiledJob | undefined>;
  runStep: StepRunner;
  limits: RunLimits;
  /** Executions whose steps run at a time; others that were accepted wait for a place. */
  maxRunning: number;
  maxQueued: number;
  log: {
    info(o: object, m: string): void;
    warn(o: object, m: string): void;
    error(o: object, m: string): void;
  };
  /** Another process runs the executions now; this one can't go on. */
  onFenced(): void;
}

/** Runs executions in this process, on the group-commit journal. Goes on with all that a former process left unfinished. */
export async function openEmbedded(
  options: EmbeddedOptions,
): Promise<Engine & { unfinishedAtStart: number; journalStats: Journal["stats"] }> {
  const { pool, log, limits } = options;
  const journal = openJournal({
    url: options.url,
    owner: options.ownership.owner,
    batches: options.ownership.batches,
    maxWaiting: options.maxQueued,
    onTrouble: (error) => log.warn({ err: error }, "The journal lost its database; it tries again."),
    onLateStart({ execution, waiting }) {
      // Its place was given back when its caller was told.
      if (!waiting) {
        places.add(execution.jobId);
        backlog.push(execution.id);
        return;
      }
      void options.loadJob(execution.jobId, execution.jobVersion).then((job) => job && places.offer(job));
    },
  });
  const watchers = new Map<string, Set<(ending: Ending) => void>>();
  const listeners = new Set<(event: EngineEvent) => void>();
  const starting = new Map<string, Promise<void>>();
  const running = new Map<string, RunState & { done: Promise<void> }>();
  let closing = false;
  let draining = false;
  let fault: Error | undefined;

  const backlog = openBacklog({
    room: () => (closing || draining ? 0 : options.maxRunning - running.size),
    takeUp,
    onFault: (error) =>
      log.warn({ err: error }, "Executions that wait could not be loaded; it is tried again."),
  });
  const waking = wakeUp({
    pool,
    journal,
    effects: () => effects,
    onDue: (ids) => backlog.push(...ids),
    onFault: (error) =>
      log.warn({ err: error }, "Parked executions could not be looked at; it is tried again."),
  });

  function run(
    execution: Unfinished | NewExecution,
    job: CompiledJob,
    recorded: Recorded,
    runNumber: number,
  ): void {
    const { id } = execution;
    const state: RunState = {
      run: runOf(execution, job, runNumber),
      underWay: undefined,
      held: false,
      again: false,
      // One a run: a signal that all runs share would be slow to listen to, and a stop is meant for one.
      controller: new AbortController(),
    };
    const context = embeddedContext({
      run: state.run,
      recorded,
      journal,
      signal: state.controller.signal,
      state,
      closing: () => closing || draining,
      onStep(position, attempt, status) {
        if (listeners.size === 0) return;
        const { id: stepId, key } = job.steps[position]!;
        changed({
          executionId: id,
          jobId: job.jobId,
          at: Date.now(),
          status,
          step: { id: stepId, key, attempt },
        });
      },
      onEnd(ending) {
        places.free(job.jobId);
        noticeEnd(id, ending);
        changed({ executionId: id, jobId: job.jobId, at: ending.endedAt, status: ending.status });
      },
      ask: (asked) => journal.takeInTurn(askTurn(id, asked, effects)),
      end: (ending) => journal.takeInTurn(endTurn(id, ending, effects)).then(() => undefined),
    });
    const done = runSteps(state.run, context, options.runStep, limits)
      .catch((error: unknown) => letGo(id, state, error))
      .finally(() => {
        running.delete(id);
        if (state.again) backlog.push(id);
        else backlog.refill();
      });
    running.set(id, Object.assign(state, { done }));
  }

  function changed(event: EngineEvent): void {
    for (const listener of listeners) listener(event);
  }

  function noticeEnd(id: string, ending: Ending): void {
    for (const onEnd of watchers.get(id) ?? []) onEnd(ending);
    watchers.delete(id);
  }

  const effects: Effects = {
    loadJob: options.loadJob,
    stateOf: (id) => running.get(id),
    held(id, actAt) {
      if (actAt !== undefined) waking.schedule(actAt);
      journal.withholdEnd(id);
      const state = running.get(id);
      if (!state) return;
      state.held = true;
      // Its time is not counted: the deadline is set anew when the hold is lifted.
      if (state.run.deadline !== undefined) state.run.deadline = Number.POSITIVE_INFINITY;
    },
    released(id, { dueAt, deadline }) {
      const state = running.get(id);
      if (state) {
        state.held = false;
        state.run.deadline = deadline;
      }
      if (dueAt !== undefined) waking.schedule(dueAt);
      else if (!state) backlog.push(id);
    },
    ended({ id, jobId, waiting }, ending) {
      if (!waiting) places.free(jobId);
      journal.drop(id, new LetGo());
      running.get(id)?.controller.abort(new Error(ending.error?.message ?? "The execution was ended."));
      noticeEnd(id, ending);
    },
    restarted(id, jobId) {
      places.add(jobId);
      backlog.push(id);
    },
    changed,
  };

  function letGo(id: string, state: RunState, error: unknown): void {
    if (!(error instanceof LetGo)) {
      fault = error as Error;
      if (error instanceof FencedError) options.onFenced();
      log.error(
        { err: error, executionId: id },
        "An execution could not go on; it will when Pawl starts again.",
      );
      return;
    }
    if (closing || draining || state.controller.signal.aborted) return;
    if (state.held) void noteDrained(id, state);
    else if (error.until !== undefined) waking.schedule(error.until);
    // The hold was lifted while the run let go because of it.
    else backlog.push(id);
  }

  /** The step that was under way at a pause has finished. */
  async function noteDrained(id: string, state: RunState): Promise<void> {
    try {
      await journal.takeInTurn(drainedTurn(id));
      // Resumed meanwhile: nobody else brings it back.
      if (!state.held) backlog.push(id);
    } catch (error) {
      log.warn({ err: error, executionId: id }, "It could not be noted that a paused execution is drained.");
    }
  }

  async function takeUp(woken: string[]): Promise<void> {
    // Before anything is read: what is read while its run still records is out of date when that run has let go.
    const ids = woken.filter((id) => {
      const still = running.get(id);
      if (still) still.again = true;
      return !still;
    });
    for (const execution of await loadUnfinished(pool, ids)) {
      const job = await options.loadJob(execution.jobId, execution.jobVersion);
      if (job) run(execution, job, execution, execution.run);
      else log.error({ executionId: execution.id }, "The definition that an execution started with is gone.");
    }
  }

  await forgetDraining(pool);
  const places = await openPlaces({
    pool,
    limitOf: async (jobId, version) => (await options.loadJob(jobId, version))?.concurrency?.limit,
    onPlace: (ids) => backlog.push(...ids),
    onFault: (error) => log.warn({ err: error }, "Places of a job could not be given; it is tried again."),
  });
  const unfinished = await findRunnable(pool);
  failpoint("recovery.before-load");
  backlog.push(...unfinished);
  await waking.begin();

  return {
    unfinishedAtStart: unfinished.length,

    async start(execution) {
      const { id } = execution;
      if (closing || draining) {
        throw new ApiError("STORE_UNAVAILABLE", "Pawl is shutting down; try again shortly.", {
          retryAfter: 5,
        });
      }
      if (running.size >= options.maxRunning && backlog.size() >= options.maxQueued) {
        throw new ApiError(
          "OVERLOADED",
          "More executions wait to run than the server will hold; try again shortly.",
          { retryAfter: 1 },
        );
      }
      // Two requests with one idempotency key arrive together: the second must not run the execution again.
      // It answers when the first is durable, or has failed, so that its caller finds what became of it.
      const other = starting.get(id);
      if (other) await other;
      if (other || running.has(id)) return false;
      const { promise, resolve: settled } = Promise.withResolvers<void>();
      starting.set(id, promise);
      try {
        const job = await options.loadJob(execution.jobId, execution.jobVersion);
        if (!job) return false;
        const deadline = job.timeoutMs === undefined ? undefined : execution.startedAt + job.timeoutMs;
        failpoint("start.before-append");
        const parametersJson = JSON.stringify(execution.parameters);
        const waiting = !places.take(job);
        const made = await journal
          .append({ kind: "start", execution, parametersJson, deadline, waiting })
          .catch((error: unknown) => {
            if (!waiting) places.free(job.jobId);
            throw error;
          });
        if (!made) {
          if (!waiting) places.free(job.jobId);
          return false;
        }
        failpoint("start.after-append");
        changed({ executionId: id, jobId: execution.jobId, at: execution.startedAt, status: "RUNNING" });
        if (waiting) {
          places.offer(job);
        } else if (running.size < options.maxRunning && backlog.size() === 0) {
          run(execution, job, { results: undefined, parked: undefined }, 1);
        } else {
          backlog.push(id);
        }
        return true;
      } finally {
        starting.delete(id);
        settled();
      }
    },

    watch(id, onEnd) {
      const watching = watchers.get(id) ?? new Set();
      watchers.set(id, watching.add(onEnd));
      return () => {
        watching.delete(onEnd);
        if (watching.size === 0 && watchers.get(id) === watching) watchers.delete(id);
      };
    },

    pause: (request) => journal.takeInTurn(pauseTurn(request, effects)),
    resume: (request) => journal.takeInTurn(resumeTurn(request, effects)),
    stop: (request) => journal.takeInTurn(stopTurn(request, effects)),
    decide: (request) => journal.takeInTurn(decideTurn(request, effects)),
    restart: (request) => journal.takeInTurn(restartTurn(request, effects)),

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    drain() {
      draining = true;
      waking.stop();
    },

    async close(graceMs) {
      closing = true;
      waking.stop();
      const abort = setTimeout(() => {
        for (const { controller } of running.values()) controller.abort(new Error("Pawl is shutting down."));
      }, graceMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(abort);
      await journal.close(5_000);
      await options.ownership.release();
    },

    check() {
      if (fault) throw fault;
      if (draining) throw new ApiError("OVERLOADED", "The server is draining: no new step begins.");
    },

    stats: () => ({ running: running.size, queued: backlog.size() }),

    journalStats: journal.stats,
  };
}
