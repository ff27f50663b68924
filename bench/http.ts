import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { createClient } from "../src/client/client.ts";
import { closedLoop } from "./closed-loop.ts";
import { machineCpuSeconds, ownCpuSeconds, postmasterOf, treeCpuSeconds } from "./cpu.ts";
import type { EngineOptions } from "./engine.ts";
import { openStarter } from "./http-load.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { startServer } from "./server.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";
import { verifyExecutions } from "./verify.ts";

export const stepsPerExecution = 3;

/** Starts a second over HTTP, on the whole server in a process of its own; the load comes from this one. */
export async function benchHttp(options: EngineOptions) {
  const machine = describeMachine();
  await using database = await benchDatabase();
  const postgres = await describePostgres(database.pool);
  const postmaster = postmasterOf(database.pgdata);
  await using server = await startServer(database.url);
  const client = createClient({ url: server.url, token: server.token });
  const runs = [];

  for (let turn = 0; turn < options.repeat; turn++) {
    for (const sync of [true, false]) {
      for (const connections of options.inFlight) {
        const job = (await client.createJob({ body: setJob() })).data;
        const starter = openStarter({ ...server, jobId: job.id, sync, connections });
        let refused = 0;
        let accepted = 0;
        const backlog = watchBacklog(database.pool, job.id, () => accepted);
        const measured = await closedLoop({
          inFlight: connections,
          warmUpSeconds: options.warmUpSeconds,
          seconds: options.seconds,
          async once() {
            while (!(await starter.start())) refused++;
            accepted++;
          },
          sample: async () => ({
            machine: machineCpuSeconds(),
            load: ownCpuSeconds(),
            server: treeCpuSeconds(server.pid),
            postgres: treeCpuSeconds(postmaster),
            completed: await countCompleted(database.pool, job.id),
          }),
        });
        const drainSeconds = await backlog.drained();
        await starter.close();
        const verified = await verifyExecutions(database.pool, {
          jobId: job.id,
          executions: measured.total,
          steps: stepsPerExecution,
        });
        const { before, after, seconds } = measured;
        const ours = (at: typeof before) => at.load + at.server + at.postgres;
        runs.push({
          mode: sync ? "sync" : "async",
          connections,
          acceptedPerSecond: measured.perSecond,
          completedPerSecond: (after.completed - before.completed) / seconds,
          maxBacklog: backlog.max(),
          drainSeconds,
          refused,
          p50Ms: measured.p50Ms,
          p99Ms: measured.p99Ms,
          serverCpu: (after.server - before.server) / seconds,
          postgresCpu: (after.postgres - before.postgres) / seconds,
          loadCpu: (after.load - before.load) / seconds,
          othersCpu: (after.machine - before.machine - (ours(after) - ours(before))) / seconds,
          verified,
        });
      }
    }
  }
  return { benchmark: "http", machine, postgres, options, runs };
}

export function printHttp({ runs }: Awaited<ReturnType<typeof benchHttp>>): string {
  const rows = runs.map((run) => [
    run.mode,
    run.connections,
    round(run.acceptedPerSecond),
    round(run.completedPerSecond),
    run.maxBacklog,
    round(run.drainSeconds, 2),
    run.refused,
    round(run.p50Ms, 2),
    round(run.p99Ms, 2),
    round(run.serverCpu, 2),
    round(run.postgresCpu, 2),
    round(run.loadCpu, 2),
    round(run.othersCpu, 2),
    run.verified,
  ]);
  const columns = ["start", "conns", "accepted/s", "completed/s", "max backlog", "drain s", "503s", "p50 ms"];
  return table([...columns, "p99 ms", "server cores", "pg cores", "load cores", "others", ""], rows);
}

/** A job of steps that do next to nothing. */
export function setJob() {
  const steps = Array.from({ length: stepsPerExecution }, (_, i) => ({
    key: `s${i + 1}`,
    name: `s${i + 1}`,
    type: "set",
    input: { values: { n: i + 1 } },
  }));
  return { name: `bench-${crypto.randomUUID()}`, steps };
}

async function countCompleted(pool: pg.Pool, jobId: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(
    "select coalesce(sum(completed), 0)::int as n from job_counter where job_id = $1",
    [jobId],
  );
  return rows[0]!.n;
}

/** Looks every quarter of a second how many that were accepted have not completed: the counters are two rows. */
export function watchBacklog(pool: pg.Pool, jobId: string, accepted: () => number) {
  let max = 0;
  let over = false;
  const watching = (async () => {
    while (!over) {
      const taken = accepted();
      max = Math.max(max, taken - (await countCompleted(pool, jobId)));
      await delay(250);
    }
  })();
  return {
    max: () => max,
    /** Waits until everything has completed; answers how long that took. */
    async drained(): Promise<number> {
      over = true;
      await watching;
      const begun = performance.now();
      while ((await countCompleted(pool, jobId)) < accepted()) await delay(5);
      return (performance.now() - begun) / 1000;
    },
  };
}
