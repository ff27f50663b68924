import { closedLoop } from "./closed-loop.ts";
import { machineCpuSeconds, ownCpuSeconds, postmasterOf, treeCpuSeconds } from "./cpu.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { openPawlEngine } from "./pawl-engine.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";
import { verifyExecutions } from "./verify.ts";

export interface EngineOptions {
  inFlight: number[];
  seconds: number;
  warmUpSeconds: number;
  repeat: number;
}

const stepsPerExecution = 3;

/** Executions a second in this process: the engine alone on a fresh, durable database. */
export async function benchEngine(options: EngineOptions) {
  const machine = describeMachine();
  await using database = await benchDatabase();
  const postgres = await describePostgres(database.pool);
  const postmaster = postmasterOf(database.pgdata);
  const pawl = await openPawlEngine(database);
  const lanes = 2;
  const runs = [];

  for (let round = 0; round < options.repeat; round++) {
    for (const inFlight of options.inFlight) {
      const job = await pawl.addJob(stepsPerExecution);
      const measured = await closedLoop({
        inFlight,
        warmUpSeconds: options.warmUpSeconds,
        seconds: options.seconds,
        once: () => pawl.execute(job),
        sample: () => ({
          node: ownCpuSeconds(),
          postgres: treeCpuSeconds(postmaster),
          machine: machineCpuSeconds(),
          journal: pawl.engine.journalStats(),
        }),
      });
      const { before, after, seconds } = measured;
      const commits = after.journal.commits - before.journal.commits;
      const verified = await verifyExecutions(database.pool, {
        jobId: job.jobId,
        executions: measured.total,
        steps: stepsPerExecution,
      });
      runs.push({
        inFlight,
        perSecond: measured.perSecond,
        p50Ms: measured.p50Ms,
        p99Ms: measured.p99Ms,
        nodeCpu: (after.node - before.node) / seconds,
        othersCpu:
          (after.machine - before.machine - (after.node - before.node) - (after.postgres - before.postgres)) /
          seconds,
        postgresCpu: (after.postgres - before.postgres) / seconds,
        commitsPerSecond: commits / seconds,
        recordsPerCommit: (after.journal.records - before.journal.records) / commits,
        commitMs: (after.journal.commitMs - before.journal.commitMs) / commits,
        commitShare: (after.journal.commitMs - before.journal.commitMs) / 1000 / seconds / lanes,
        verified,
      });
    }
  }
  await pawl.engine.close(1_000);
  return { benchmark: "engine", machine, postgres, options, runs };
}

export function printEngine({ runs }: Awaited<ReturnType<typeof benchEngine>>): string {
  const rows = runs.map((run) => [
    run.inFlight,
    round(run.perSecond),
    round(run.p50Ms, 2),
    round(run.p99Ms, 2),
    round(run.nodeCpu, 2),
    round(run.postgresCpu, 2),
    round(run.othersCpu, 2),
    round(run.commitsPerSecond),
    round(run.recordsPerCommit, 1),
    round(run.commitMs, 2),
    round(run.commitShare * 100),
    run.verified,
  ]);
  const columns = [
    "in flight",
    "exec/s",
    "p50 ms",
    "p99 ms",
    "node cores",
    "pg cores",
    "others",
    "commits/s",
  ];
  return table([...columns, "rec/commit", "commit ms", "in commit %", ""], rows);
}
