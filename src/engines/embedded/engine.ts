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
import { type Run, type RunLimits, runSteps } from "../../engine/loop.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { embeddedContext, LetGo, type Recorded, type RunState } from "./context.ts";
import { drainedTurn, endTurn, pauseTurn, restartTurn, resumeTurn, stopTurn } from "./control.ts";
import type { Effects } from "./control-turn.ts";
import { askTurn, decideTurn, overdueTurn } from "./decision.ts";
import { dueTimer } from "./due-timer.ts";
import type { Ownership } from "./ownership.ts";
import {
  claimDue,
  findDueHolds,
  findRunnable,
  forgetDraining,
  loadUnfinished,
  nextDue,
  type Unfinished,
} from "./store.ts";

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

const claimAtOnce = 500;
const loadAtOnce = 100;

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
    onLateStart({ execution }) {
      queued.push(execution.id);
      refill();
    },
  });
  const watchers = new Map<string, Set<(ending: Ending) => void>>();
  const listeners = new Set<(event: EngineEvent) => void>();
  const starting = new Map<string, Promise<void>>();
  const running = new Map<string, RunState & { done: Promise<void> }>();
  // Accepted or found, not yet running: ids only, their rows hold the rest.
  let queued: string[] = [];
  let refilling = false;
  let closing = false;
  let draining = false;
  let trouble: Error | undefined;

  await forgetDraining(pool);
  const timer = dueTimer(() => void wakeDue());
  const unfinished = await findRunnable(pool);
  failpoint("recovery.before-load");
  queued = unfinished;
  const due = await nextDue(pool);
  if (due !== undefined) timer.schedule(due);
  refill();

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
        if (state.again && !closing) queued.push(id);
        if (queued.length > 0) refill();
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
      if (actAt !== undefined) timer.schedule(actAt);
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
      if (dueAt !== undefined) timer.schedule(dueAt);
      else if (!state) enqueue(id);
    },
    ended(id, ending) {
      journal.drop(id, new LetGo());
      running.get(id)?.controller.abort(new Error(ending.error?.message ?? "The execution was ended."));
      noticeEnd(id, ending);
    },
    restarted: enqueue,
    changed,
  };

  function enqueue(id: string): void {
    queued.push(id);
    refill();
  }

  function letGo(id: string, state: RunState, error: unknown): void {
    if (!(error instanceof LetGo)) {
      trouble = error as Error;
      if (error instanceof FencedError) options.onFenced();
      log.error(
        { err: error, executionId: id },
        "An execution could not go on; it will when Pawl starts again.",
      );
      return;
    }
    if (closing || draining || state.controller.signal.aborted) return;
    if (state.held) void noteDrained(id, state);
    else if (error.until !== undefined) timer.schedule(error.until);
    // The hold was lifted while the run let go because of it.
    else enqueue(id);
  }

  /** The step that was under way at a pause has finished. */
  async function noteDrained(id: string, state: RunState): Promise<void> {
    try {
      await journal.takeInTurn(drainedTurn(id));
      // Resumed meanwhile: nobody else brings it back.
      if (!state.held) enqueue(id);
    } catch (error) {
      log.warn({ err: error, executionId: id }, "It could not be noted that a paused execution is drained.");
    }
  }

  /** Brings executions that wait for a place into memory, as places come free. */
  function refill(): void {
    if (refilling || closing || draining) return;
    refilling = true;
    void (async () => {
      while (queued.length > 0 && running.size < options.maxRunning && !closing && !draining) {
        const free = options.maxRunning - running.size;
        await resume(queued.splice(0, Math.min(free, loadAtOnce)));
      }
    })()
      .catch((error: Error) => {
        trouble = error;
        log.error({ err: error }, "Executions that wait for a place could not be loaded; trying again.");
        setTimeout(refill, 1_000).unref();
      })
      .finally(() => {
        refilling = false;
      });
  }

  async function resume(woken: string[]): Promise<void> {
    // Before anything is read: what is read while its run still records is out of date when that run has let go.
    const ids = woken.filter((id) => {
      const still = running.get(id);
      if (still) still.again = true;
      return !still;
    });
    try {
      for (const execution of await loadUnfinished(pool, ids)) {
        const job = await options.loadJob(execution.jobId, execution.jobVersion);
        if (job) run(execution, job, execution, execution.run);
        else log.error({ executionId: execution.id }, "The definition that an execution started with is gone.");
      }
    } catch (error) {
      queued.unshift(...ids.filter((id) => !running.has(id)));
      throw error;
    }
  }

  async function wakeDue(): Promise<void> {
    try {
      const ids = await claimDue(pool, Date.now(), claimAtOnce);
      failpoint("timer.after-claim");
      queued.push(...ids);
      refill();
      await liftDueHolds();
      const next = await nextDue(pool);
      if (next !== undefined && !closing) timer.schedule(next);
    } catch (error) {
      log.warn({ err: error }, "Parked executions could not be looked at; trying again.");
      if (!closing) timer.schedule(Date.now() + 1_000);
    }
  }

  /** Ends the holds whose time has come: a pause with a time to resume at, a decision past its deadline. */
  async function liftDueHolds(): Promise<void> {
    for (const { id, held, onDeadline } of await findDueHolds(pool, Date.now(), claimAtOnce)) {
      const request = { executionId: id, actor: "pawl", reason: "The time set for it has come." };
      const turn =
        held === "pause"
          ? resumeTurn(request, effects)
          : onDeadline === "fail"
            ? overdueTurn(id, effects)
            : decideTurn({ ...request, approve: onDeadline === "approve" }, effects);
      await journal.takeInTurn(turn).catch((error: unknown) => {
        // Somebody was first.
        if (!(error instanceof ApiError && error.code === "INVALID_STATE")) throw error;
      });
    }
  }

  return {
    unfinishedAtStart: unfinished.length,

    async start(execution) {
      const { id } = execution;
      if (closing || draining) {
        throw new ApiError("STORE_UNAVAILABLE", "Pawl is shutting down; try again shortly.", {
          retryAfter: 5,
        });
      }
      if (running.size >= options.maxRunning && queued.length >= options.maxQueued) {
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
        if (!(await journal.append({ kind: "start", execution, parametersJson, deadline }))) return false;
        failpoint("start.after-append");
        changed({ executionId: id, jobId: execution.jobId, at: execution.startedAt, status: "RUNNING" });
        if (running.size < options.maxRunning && queued.length === 0) {
          run(execution, job, { results: undefined, parked: undefined }, 1);
        } else {
          queued.push(id);
          refill();
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
      timer.stop();
    },

    async close(graceMs) {
      closing = true;
      timer.stop();
      const abort = setTimeout(() => {
        for (const { controller } of running.values()) controller.abort(new Error("Pawl is shutting down."));
      }, graceMs);
      await Promise.all([...running.values()].map(({ done }) => done));
      clearTimeout(abort);
      await journal.close(5_000);
      await options.ownership.release();
    },

    check() {
      if (trouble) throw trouble;
      if (draining) throw new ApiError("OVERLOADED", "The server is draining: no new step begins.");
    },

    stats: () => ({ running: running.size, queued: queued.length }),

    journalStats: journal.stats,
  };
}

function runOf(execution: Unfinished | NewExecution, job: CompiledJob, runNumber: number): Run {
  const { id, jobId, parameters, triggeredBy, triggerSource, startedAt } = execution;
  const fromStart = job.timeoutMs === undefined ? undefined : startedAt + job.timeoutMs;
  return {
    executionId: id,
    run: runNumber,
    job,
    lastOutput: null,
    // Pauses and restarts have moved the one in the row.
    deadline: "deadline" in execution ? execution.deadline : fromStart,
    scope: {
      params: parameters,
      steps: {},
      vars: {},
      execution: { id, jobId, triggeredBy, triggerSource, startTime: new Date(startedAt).toISOString() },
      job: { id: jobId, name: job.name, version: job.version },
    },
  };
}
