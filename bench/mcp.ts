import { createClient } from "../src/client/client.ts";
import { closedLoop } from "./closed-loop.ts";
import { machineCpuSeconds, ownCpuSeconds, postmasterOf, treeCpuSeconds } from "./cpu.ts";
import type { EngineOptions } from "./engine.ts";
import { setJob, stepsPerExecution, watchBacklog } from "./http.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { type Era, openAssistants } from "./mcp-load.ts";
import { startServer } from "./server.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";
import { verifyExecutions } from "./verify.ts";

const noLimits = { PAWL_MCP_CALLS_PER_MINUTE: "0", PAWL_MCP_REQUESTS_PER_MINUTE: "0" };

/** What assistants ask a second, on the whole server in a process of its own; the load comes from this one. */
export async function benchMcp(options: EngineOptions) {
  const machine = describeMachine();
  await using database = await benchDatabase();
  const postgres = await describePostgres(database.pool);
  const postmaster = postmasterOf(database.pgdata);
  await using server = await startServer(database.url, noLimits);
  const client = createClient({ url: server.url, token: server.token });
  const { data: me } = await client.whoAmI();
  const { data: made } = await client.createToken({
    body: { principalId: me.id, name: "bench", for: "mcp", scopes: ["jobs:read", "jobs:run"] },
  });
  const runs = [];

  for (let turn = 0; turn < options.repeat; turn++) {
    for (const era of ["modern", "legacy"] as Era[]) {
      for (const call of ["tools/list", "start_job"]) {
        for (const connections of options.inFlight) {
          const starts = call === "start_job";
          const jobId = starts ? (await client.createJob({ body: setJob() })).data.id : undefined;
          const assistants = openAssistants({
            url: server.url,
            token: made.token,
            era,
            connections,
            ...(starts
              ? {
                  method: "tools/call",
                  params: { name: call, arguments: { jobId } },
                  expected: '"executionId"',
                }
              : { method: call, params: {}, expected: '"start_job"' }),
          });
          let accepted = 0;
          const backlog =
            jobId === undefined ? undefined : watchBacklog(database.pool, jobId, () => accepted);
          const measured = await closedLoop({
            inFlight: connections,
            warmUpSeconds: options.warmUpSeconds,
            seconds: options.seconds,
            async once() {
              await assistants.ask();
              accepted++;
            },
            sample: () => ({
              machine: machineCpuSeconds(),
              load: ownCpuSeconds(),
              server: treeCpuSeconds(server.pid),
              postgres: treeCpuSeconds(postmaster),
            }),
          });
          await backlog?.drained();
          await assistants.close();
          const { before, after, seconds } = measured;
          const used = (part: keyof typeof before) => (after[part] - before[part]) / seconds;
          runs.push({
            era,
            call,
            connections,
            perSecond: measured.perSecond,
            p50Ms: measured.p50Ms,
            p99Ms: measured.p99Ms,
            serverCpu: used("server"),
            postgresCpu: used("postgres"),
            loadCpu: used("load"),
            othersCpu: used("machine") - used("server") - used("postgres") - used("load"),
            verified:
              jobId === undefined
                ? ""
                : await verifyExecutions(database.pool, {
                    jobId,
                    executions: measured.total,
                    steps: stepsPerExecution,
                  }),
          });
        }
      }
    }
  }
  return { benchmark: "mcp", machine, postgres, options, runs };
}

export function printMcp({ runs }: Awaited<ReturnType<typeof benchMcp>>): string {
  const rows = runs.map((run) => [
    run.era,
    run.call,
    run.connections,
    round(run.perSecond),
    round(run.p50Ms, 2),
    round(run.p99Ms, 2),
    round(run.serverCpu, 2),
    round(run.postgresCpu, 2),
    round(run.loadCpu, 2),
    round(run.othersCpu, 2),
    run.verified,
  ]);
  const columns = ["era", "call", "conns", "calls/s", "p50 ms", "p99 ms", "server cores", "pg cores"];
  return table([...columns, "load cores", "others", ""], rows);
}
