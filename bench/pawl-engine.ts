import type pg from "pg";
import type { CompiledJob, Ending } from "../src/engine/engine.ts";
import { openEmbedded } from "../src/engines/embedded/engine.ts";
import { takeOwnership } from "../src/engines/embedded/ownership.ts";
import { newId } from "../src/lib/ids.ts";
import { noopJob } from "./setup.ts";

/** The embedded engine as `main.ts` wires it, with steps that do nothing: validation, plugins and HTTP are left out. */
export async function openPawlEngine(database: { url: string; pool: pg.Pool }) {
  const jobs = new Map<string, CompiledJob>();
  const fail = (error: Error) => {
    throw error;
  };
  const ownership = await takeOwnership(database.url, fail);
  if (!ownership) throw new Error("Another process runs the executions of this database.");
  const engine = await openEmbedded({
    pool: database.pool,
    url: database.url,
    ownership,
    loadJob: async (id) => jobs.get(id),
    findJob: async () => undefined,
    runStep: async () => ({ output: { n: 1 } }),
    limits: { outputBytes: 1024 * 1024, logBytes: 256 * 1024, graceMs: 5_000 },
    maxRunning: 1_000,
    maxQueued: 20_000,
    log: { info() {}, warn: (o, m) => console.error(m, o), error: (o, m) => console.error(m, o) },
    onFenced: () => fail(new Error("Another process has taken the executions over.")),
  });

  return {
    engine,
    /** A job of its own for each run, so that the run's executions can be told from others. */
    async addJob(steps: number): Promise<CompiledJob> {
      const job = noopJob(steps);
      await database.pool.query(
        "insert into job (id, name, version, created_at, created_by, updated_at, updated_by) values ($1, $2, 1, now(), 'bench', now(), 'bench')",
        [job.jobId, `bench-${job.jobId}`],
      );
      jobs.set(job.jobId, job);
      return job;
    },
    /** Starts an execution and waits until it has completed. */
    execute(job: CompiledJob): Promise<void> {
      const id = newId();
      return new Promise((resolve, reject) => {
        engine.watch(id, ({ status }: Ending) =>
          status === "COMPLETED" ? resolve() : reject(new Error(`The execution ended ${status}.`)),
        );
        engine
          .start({
            id,
            workflowId: newId(),
            jobId: job.jobId,
            jobVersion: job.version,
            jobName: job.name,
            parameters: {},
            triggeredBy: "api",
            triggerSource: null,
            startedBy: "bench",
            startedAt: Date.now(),
          })
          .then((made) => {
            if (!made) reject(new Error("The start was refused."));
          }, reject);
      });
    },
  };
}
