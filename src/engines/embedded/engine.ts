import { ApiError } from "../../contract/errors.ts";
import type {
  CompiledJob,
  ControlOutcome,
  ControlRequest,
  Engine,
  NewExecution,
} from "../../engine/engine.ts";
import { type Journal, openJournal } from "../../engine/journal/journal.ts";
import { FencedError, type Turn } from "../../engine/journal/lane.ts";
import { runSteps } from "../../engine/loop.ts";
import { ShuttingDown } from "../../engine/time-limit.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { isPlanted } from "../../lib/plant.ts";
import { openBacklog } from "./backlog.ts";
import { forgetCheckpoints } from "./checkpoint-store.ts";
import { openCheckpoints } from "./checkpoints.ts";
import { wakeParents } from "./child-store.ts";
import { children } from "./children.ts";
import { embeddedContext, LetGo, type Recorded, type RunState } from "./context.ts";
import { drainedTurn, endTurn, pauseTurn, restartTurn, resumeTurn, stopTurn } from "./control.ts";
import type { Effects } from "./control-turn.ts";
import { askTurn, decideTurn } from "./decision.ts";
import { freshReads } from "./fresh.ts";
import { observers } from "./observers.ts";
import type { EmbeddedOptions } from "./options.ts";
import { openPlaces } from "./places.ts";
import { overloaded, shuttingDown } from "./refusals.ts";
import { runOf } from "./run-of.ts";
import { findRunnable, forgetDraining, loadUnfinished, type Unfinished } from "./store.ts";
import { wakeUp } from "./wake-up.ts";

export type EmbeddedEngine = Engine & { unfinishedAtStart: number; journalStats: Journal["stats"] };

/** Runs executions in this process, on the group-commit journal. Goes on with all that a former process left unfinished. */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedEngine> {
  const { pool, log, limits } = options;
  const { owner } = options.ownership;
  const opened = openJournal({
    url: options.url,
    owner,
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
  const { journal, read, stillHolds } = freshReads(opened, (id) => backlog.push(id));
  const seen = observers();
  const checkpoints = openCheckpoints(options, owner);
  const runStep = checkpoints.remembering(options.runStep);
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
    owner,
    journal,
    effects: () => effects,
    onDue: (ids) => backlog.push(...ids),
    onLostClaim: findLost,
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
        checkpoints.changed({ executionId: id, stepId: job.steps[position]!.id, run: runNumber }, status);
        seen.stepped(id, job, { position, attempt, status });
      },
      onEnd(ending) {
        places.free(job.jobId);
        if (execution.parentId !== undefined) void kids.ended(id, execution.parentId);
        seen.ended(id, ending);
        seen.changed({ executionId: id, jobId: job.jobId, at: ending.endedAt, status: ending.status });
      },
      child: (record) => {
        const parent = { ...state, depth: execution.depth ?? 0, startedBy: execution.startedBy };
        return kids.child(record, parent).catch((error: unknown) => {
          log.warn(
            { err: error, executionId: id },
            "A job could not be started by a step; it is tried again.",
          );
          setTimeout(() => backlog.push(id), 1_000).unref();
          return undefined;
        });
      },
      ask: (asked) => journal.takeInTurn(askTurn(id, asked, effects)),
      end: (ending) => journal.takeInTurn(endTurn(id, ending, effects)).then(() => undefined),
    });
    const done = runSteps(state.run, context, runStep, limits)
      .catch((error: unknown) => letGo(id, state, error))
      .finally(() => {
        running.delete(id);
        checkpoints.letGo(id);
        if (state.again) backlog.push(id);
        else backlog.refill();
      });
    running.set(id, Object.assign(state, { done }));
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
      if (isPlanted("engine.lost-stop")) return;
      if (!waiting) places.free(jobId);
      void kids.ended(id, undefined);
      journal.drop(id, new LetGo());
      running.get(id)?.controller.abort(new Error(ending.error?.message ?? "The execution was ended."));
      seen.ended(id, ending);
    },
    restarted(id, jobId) {
      places.add(jobId);
      backlog.push(id);
    },
    changed: seen.changed,
  };

  function letGo(id: string, state: RunState, error: unknown): void {
    if (!(error instanceof LetGo)) {
      fault = error as Error;
      if (error instanceof FencedError) options.onFenced();
      log.error({ err: error, executionId: id }, "An execution could not go on; it will at the next start.");
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
      await journal.takeInTurn(drainedTurn(id, state.run.job.jobId, effects));
      // Resumed meanwhile: nobody else brings it back.
      if (!state.held) backlog.push(id);
    } catch (error) {
      log.warn({ err: error, executionId: id }, "It could not be noted that a paused execution is drained.");
    }
  }

  /** Takes up all that should be running. Those that run already are none the worse for it. */
  async function findLost(): Promise<void> {
    // Those just starting will be run by their start.
    backlog.push(...(await findRunnable(pool)).filter((id) => !starting.has(id)));
  }

  async function takeUp(woken: string[]): Promise<void> {
    // Before anything is read: what is read while its run still records is out of date when that run has let go.
    const ids = woken.filter((id) => {
      const still = running.get(id);
      if (still) still.again = true;
      return !still;
    });
    for (const execution of await loadUnfinished(pool, read(ids))) {
      const job = await options.loadJob(execution.jobId, execution.jobVersion);
      if (!stillHolds(execution.id)) continue;
      if (job) run(execution, job, execution, execution.run);
      else log.error({ executionId: execution.id }, "The definition that an execution started with is gone.");
    }
  }

  const places = await openPlaces({
    pool,
    owner,
    limitOf: async (jobId, version) => (await options.loadJob(jobId, version))?.concurrency?.limit,
    onPlace: (ids) => backlog.push(...ids),
    onLostClaim: findLost,
    onFault: (error) => log.warn({ err: error }, "Places of a job could not be given; it is tried again."),
  });

  /** Does it to the execution, and then to what its steps have started. */
  async function reaching(
    action: "pause" | "resume" | "stop",
    request: ControlRequest,
    turn: Turn<ControlOutcome>,
  ): Promise<ControlOutcome> {
    const outcome = await journal.takeInTurn(turn);
    await kids.reach(action, request.executionId, request);
    return outcome;
  }

  const engine: EmbeddedEngine = {
    unfinishedAtStart: 0,

    async start(execution) {
      const { id } = execution;
      if (closing || draining) throw shuttingDown();
      if (running.size >= options.maxRunning && backlog.size() >= options.maxQueued) throw overloaded();
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
        seen.changed({ executionId: id, jobId: execution.jobId, at: execution.startedAt, status: "RUNNING" });
        if (waiting) {
          places.offer(job);
        } else if (running.size < options.maxRunning && backlog.size() === 0) {
          run(execution, job, { results: undefined, parked: undefined }, 1);
        } else {
          backlog.push(id);
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

    watch: seen.watch,
    subscribe: seen.subscribe,

    pause: (request) => reaching("pause", request, pauseTurn(request, effects)),
    resume: (request) => reaching("resume", request, resumeTurn(request, effects)),
    stop: (request) => reaching("stop", request, stopTurn(request, effects)),
    decide: (request) => journal.takeInTurn(decideTurn(request, effects)),
    restart: (request) => journal.takeInTurn(restartTurn(request, effects)),

    drain() {
      draining = true;
      waking.stop();
    },

    async close(graceMs) {
      closing = true;
      waking.stop();
      const abort = setTimeout(() => {
        for (const { controller } of running.values()) controller.abort(new ShuttingDown());
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
  const kids = children({
    pool,
    owner,
    findJob: options.findJob,
    start: engine.start,
    pause: engine.pause,
    resume: engine.resume,
    stop: engine.stop,
    wake: (id) => backlog.push(id),
    onFault: (error, executionId) =>
      log.warn({ err: error, executionId }, "An execution could not be told that its job has ended."),
  });
  await forgetDraining(pool, owner);
  await forgetCheckpoints(pool);
  await wakeParents(pool, owner);
  const unfinished = await findRunnable(pool);
  failpoint("recovery.before-load");
  backlog.push(...unfinished);
  await waking.begin();
  engine.unfinishedAtStart = unfinished.length;
  return engine;
}
