import { DBOS } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import { closedLoop } from "../closed-loop.ts";
import { contend, coresOf } from "../contender.ts";
import { machineCpuSeconds, treeCpuSeconds } from "../cpu.ts";
import { packageVersion } from "../machine.ts";

await contend(async (task) => {
  // A database of its own on the server that Pawl runs on; DBOS makes and migrates it.
  const url = new URL(task.databaseUrl!);
  url.pathname = "/dbos_bench";
  const poolSize = task.dbosPool;

  const workflow = DBOS.registerWorkflow(
    async () => {
      let last = 0;
      for (let step = 1; step <= task.steps; step++) {
        last = await DBOS.runStep(async () => step, { name: `s${step}` });
      }
      return last;
    },
    { name: "bench" },
  );
  DBOS.setConfig({
    name: "pawl-bench",
    applicationVersion: "1",
    systemDatabaseUrl: url.href,
    systemDatabasePoolSize: poolSize,
    logLevel: "error",
    enableOTLP: false,
  });
  await DBOS.launch();

  const measured = await closedLoop({
    ...task,
    once: async () => {
      const handle = await DBOS.startWorkflow(workflow)();
      await handle.getResult();
    },
    sample: () => ({
      client: treeCpuSeconds(process.pid),
      store: treeCpuSeconds(task.postmaster!),
      machine: machineCpuSeconds(),
    }),
  });
  const verified = await verify(url.href, measured.total, task.steps);
  await DBOS.shutdown();

  const { before, after, seconds } = measured;
  return {
    name: "DBOS Transact",
    version: packageVersion(new URL("./node_modules/@dbos-inc/dbos-sdk/", import.meta.url)),
    settings: `in process, startWorkflow + getResult, ${poolSize} connections, log level error`,
    perSecond: measured.perSecond,
    p50Ms: measured.p50Ms,
    p99Ms: measured.p99Ms,
    cores: coresOf(before, after, seconds),
    verified,
  };
});

async function verify(url: string, executions: number, steps: number): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ succeeded: number; results: number }>(
    `select (select count(*)::int from dbos.workflow_status where status = 'SUCCESS') as succeeded,
            (select count(*)::int from dbos.operation_outputs) as results`,
  );
  await client.end();
  const { succeeded, results } = rows[0]!;
  if (succeeded !== executions || results !== executions * steps) {
    throw new Error(`DBOS holds ${succeeded} successes and ${results} results of ${executions} executions.`);
  }
  return `verified: ${succeeded} SUCCESS, ${results} results`;
}
