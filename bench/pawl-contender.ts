import { createPool } from "../src/db/pool.ts";
import { closedLoop } from "./closed-loop.ts";
import { contend, coresOf } from "./contender.ts";
import { machineCpuSeconds, treeCpuSeconds } from "./cpu.ts";
import { packageVersion } from "./machine.ts";
import { openPawlEngine } from "./pawl-engine.ts";
import { verifyExecutions } from "./verify.ts";

await contend(async (task) => {
  const pool = createPool({ url: task.databaseUrl! });
  const pawl = await openPawlEngine({ url: task.databaseUrl!, pool });
  const job = await pawl.addJob(task.steps);
  const measured = await closedLoop({
    ...task,
    once: () => pawl.execute(job),
    sample: () => ({
      client: treeCpuSeconds(process.pid),
      store: treeCpuSeconds(task.postmaster!),
      machine: machineCpuSeconds(),
    }),
  });
  const verified = await verifyExecutions(pool, {
    jobId: job.jobId,
    executions: measured.total,
    steps: task.steps,
  });
  await pawl.engine.close(1_000);
  await pool.end();
  const { before, after, seconds } = measured;
  return {
    name: "Pawl",
    version: packageVersion(new URL("../", import.meta.url)),
    settings: "embedded engine in process, as main.ts wires it",
    perSecond: measured.perSecond,
    p50Ms: measured.p50Ms,
    p99Ms: measured.p99Ms,
    cores: coresOf(before, after, seconds),
    verified,
  };
});
