import type pg from "pg";
import { ensurePartitions } from "../../src/db/partitions.ts";
import { createPool } from "../../src/db/pool.ts";
import type {
  CompiledJob,
  CompiledStep,
  Ending,
  Engine,
  NewExecution,
  StepCall,
  StepOutcome,
} from "../../src/engine/engine.ts";
import { openEmbedded } from "../../src/engines/embedded/engine.ts";
import { takeOwnership } from "../../src/engines/embedded/ownership.ts";
import { openShared, type SharedEngine } from "../../src/engines/embedded/shared.ts";
import { newId } from "../../src/lib/ids.ts";
import { createTestDatabase } from "./database.ts";

export type Code = (call: StepCall) => Promise<StepOutcome>;

export interface StepRow {
  position: number;
  run: number;
  step_key: string;
  status: string;
  attempts: number;
  output: unknown;
  error: { code: string; message: string } | null;
}

/** A database with the embedded engine on it, and jobs whose steps are functions of the test. */
export async function engineFixture() {
  const database = await createTestDatabase();
  const pool: pg.Pool = createPool({ url: database.url });
  await ensurePartitions(pool, new Date());
  const jobs = new Map<string, CompiledJob>();
  const code = new Map<string, Code>();
  const engines = new Set<Engine>();

  const options = {
    pool,
    url: database.url,
    loadJob: async (jobId: string) => jobs.get(jobId),
    findJob: async (jobId: string) => {
      const job = jobs.get(jobId);
      return job && { ...job, readParameters: (value: Record<string, unknown>) => ({ value, faults: [] }) };
    },
    runStep: (call: StepCall) => code.get(call.type)!(call),
    limits: { outputBytes: 1024, logBytes: 100, graceMs: 0 },
    maxRunning: 100,
    maxQueued: 1000,
    log: { info() {}, warn() {}, error() {} },
  };

  async function open(overrides: Partial<Parameters<typeof openEmbedded>[0]> = {}): Promise<Engine> {
    const ownership = await takeOwnership(database.url, () => {});
    if (!ownership) throw new Error("Another engine of the test still owns the executions.");
    const engine = await openEmbedded({ ...options, ownership, onFenced() {}, ...overrides });
    engines.add(engine);
    return engine;
  }

  /** An engine that shares the database with others. */
  async function share(overrides: Partial<Parameters<typeof openShared>[0]> = {}): Promise<SharedEngine> {
    const engine = await openShared({ ...options, ...overrides });
    engines.add(engine);
    return engine;
  }

  async function close(engine: Engine, graceMs = 0): Promise<void> {
    engines.delete(engine);
    await engine.close(graceMs);
  }

  /** A job whose steps run the given code, one type each. */
  async function jobOf(...steps: (Partial<CompiledStep> & { run: Code })[]): Promise<CompiledJob> {
    const jobId = newId();
    const job: CompiledJob = {
      jobId,
      version: 1,
      name: `job ${jobId}`,
      steps: steps.map(({ run, ...step }, i) => {
        const type = `${jobId}-${i}`;
        code.set(type, run);
        return {
          id: newId(),
          key: `s${i}`,
          name: `s${i}`,
          type,
          input: () => ({}),
          retry: { maxAttempts: 1, initialDelayMs: 1, factor: 1, maxDelayMs: 1 },
          onError: "fail",
          ...step,
        };
      }),
    };
    jobs.set(jobId, job);
    await pool.query(
      "insert into job (id, name, version, created_at, created_by, updated_at, updated_by) values ($1, $2, 1, now(), 'test', now(), 'test')",
      [jobId, job.name],
    );
    return job;
  }

  function executionOf(job: CompiledJob): NewExecution {
    return {
      id: newId(),
      workflowId: newId(),
      jobId: job.jobId,
      jobVersion: job.version,
      jobName: job.name,
      parameters: {},
      triggeredBy: "test",
      triggerSource: null,
      startedBy: "test",
      startedAt: Date.now(),
    };
  }

  function endOf(engine: Engine, id: string): Promise<Ending> {
    return new Promise((resolve) => engine.watch(id, resolve));
  }

  /** Starts the job; `ended` resolves at its end. */
  async function begin(engine: Engine, job: CompiledJob): Promise<{ id: string; ended: Promise<Ending> }> {
    const execution = executionOf(job);
    const ended = endOf(engine, execution.id);
    if (!(await engine.start(execution))) throw new Error("The start was refused.");
    return { id: execution.id, ended };
  }

  async function runToEnd(engine: Engine, job: CompiledJob): Promise<Ending & { id: string }> {
    const { id, ended } = await begin(engine, job);
    return { ...(await ended), id };
  }

  async function resultsOf(id: string): Promise<StepRow[]> {
    const { rows } = await pool.query<StepRow>(
      "select position, run, step_key, status, attempts, output, error from step_execution where execution_id = $1 order by run, position",
      [id],
    );
    return rows;
  }

  async function statusOf(id: string): Promise<string> {
    const { rows } = await pool.query("select status from execution where id = $1", [id]);
    return rows[0]?.status;
  }

  return {
    url: database.url,
    pool,
    open,
    share,
    close,
    jobOf,
    executionOf,
    begin,
    endOf,
    runToEnd,
    resultsOf,
    statusOf,
    async dispose() {
      for (const engine of engines) await engine.close(0);
      await pool.end();
      await database.drop();
    },
  };
}

export type EngineFixture = Awaited<ReturnType<typeof engineFixture>>;

/** A gate that code of a step waits at, and a signal that it has come there. */
export function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    async pass(): Promise<void> {
      reached.resolve();
      await opened.promise;
    },
  };
}
