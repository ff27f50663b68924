import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { CompiledJob, Ending, Engine, NewExecution, StepRunner } from "../../engine/engine.ts";
import { type Journal, openJournal } from "../../engine/journal/journal.ts";
import { FencedError } from "../../engine/journal/lane.ts";
import { type Run, type RunLimits, runSteps, type StepRecord } from "../../engine/loop.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { embeddedContext, LetGo, type Recorded } from "./context.ts";
import { dueTimer } from "./due-timer.ts";
import type { Ownership } from "./ownership.ts";
import { claimDue, findRunnable, loadUnfinished, nextDue, type Unfinished } from "./store.ts";

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
  const starting = new Map<string, Promise<void>>();
  // `again`: it was woken while it was still letting go.
  const running = new Map<string, { done: Promise<void>; controller: AbortController; again: boolean }>();
  // Accepted or found, not yet running: ids only, their rows hold the rest.
  let queued: string[] = [];
  let refilling = false;
  let closing = false;
  let trouble: Error | undefined;
  // Passes, when they can be loaded again.
  let loadTrouble: Error | undefined;
  // A claim may have been made whose answer never came.
  let claimLost = false;

  const timer = dueTimer(() => void wakeDue());
  const unfinished = await findRunnable(pool);
  failpoint("recovery.before-load");
  queued = [...unfinished];
  const due = await nextDue(pool);
  if (due !== undefined) timer.schedule(due);
  refill();

  function run(
    execution: Unfinished | NewExecution,
    job: CompiledJob,
    recorded: Recorded,
    runNumber: number,
  ): void {
    const state = runOf(execution, job, runNumber);
    // One a run: a signal that all runs share would be slow to listen to, and a stop is meant for one.
    const controller = new AbortController();
    const context = embeddedContext({
      run: state,
      recorded,
      journal,
      signal: controller.signal,
      closing: () => closing,
      onRecord: (record) => noticeEnd(execution.id, record),
    });
    const done = runSteps(state, context, options.runStep, limits)
      .catch((error: unknown) => letGo(execution.id, error))
      .finally(() => {
        if (running.get(execution.id)?.again) queued.push(execution.id);
        running.delete(execution.id);
        if (queued.length > 0) refill();
      });
    running.set(execution.id, { done, controller, again: false });
  }

  function noticeEnd(id: string, record: StepRecord): void {
    if (record.kind !== "result" || !record.ends) return;
    for (const onEnd of watchers.get(id) ?? []) onEnd(record.ends);
    watchers.delete(id);
  }

  function letGo(id: string, error: unknown): void {
    if (error instanceof LetGo) {
      if (error.until !== undefined && !closing) timer.schedule(error.until);
      return;
    }
    trouble = error as Error;
    if (error instanceof FencedError) options.onFenced();
    log.error(
      { err: error, executionId: id },
      "An execution could not go on; it will when Pawl starts again.",
    );
  }

  /** Brings executions that wait for a place into memory, as places come free. */
  function refill(): void {
    if (refilling || closing) return;
    refilling = true;
    void (async () => {
      while (queued.length > 0 && running.size < options.maxRunning && !closing) {
        const free = options.maxRunning - running.size;
        await resume(queued.splice(0, Math.min(free, loadAtOnce)));
        loadTrouble = undefined;
      }
    })()
      .catch((error: Error) => {
        loadTrouble = error;
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
        else
          log.error({ executionId: execution.id }, "The definition that an execution started with is gone.");
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
      if (claimLost) {
        claimLost = false;
        // Those that run already are none the worse for it; those just starting will be run by their start.
        queued.push(...(await findRunnable(pool)).filter((id) => !starting.has(id)));
      }
      refill();
      const next = await nextDue(pool);
      if (next !== undefined && !closing) timer.schedule(next);
    } catch (error) {
      claimLost = true;
      log.warn({ err: error }, "Parked executions could not be looked at; trying again.");
      if (!closing) timer.schedule(Date.now() + 1_000);
    }
  }

  return {
    unfinishedAtStart: unfinished.length,

    async start(execution) {
      const { id } = execution;
      if (closing) {
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
        if (running.size < options.maxRunning && queued.length === 0) {
          run(execution, job, { results: undefined, parked: undefined }, 1);
        } else {
          queued.push(id);
          refill();
        }
        return true;
      } catch (error) {
        if (error instanceof FencedError) options.onFenced();
        throw error;
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
      const fault = trouble ?? loadTrouble;
      if (fault) throw fault;
    },

    stats: () => ({ running: running.size, queued: queued.length }),

    journalStats: journal.stats,
  };
}

function runOf(execution: Unfinished | NewExecution, job: CompiledJob, runNumber: number): Run {
  const { id, jobId, parameters, triggeredBy, triggerSource, startedAt } = execution;
  return {
    executionId: id,
    run: runNumber,
    job,
    startedAt,
    lastOutput: null,
    deadline: job.timeoutMs === undefined ? undefined : startedAt + job.timeoutMs,
    scope: {
      params: parameters,
      steps: {},
      vars: {},
      execution: { id, jobId, triggeredBy, triggerSource, startTime: new Date(startedAt).toISOString() },
      job: { id: jobId, name: job.name, version: job.version },
    },
  };
}
