import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Pool } from "undici";
import { closedLoop } from "../closed-loop.ts";
import { contend, coresOf } from "../contender.ts";
import { machineCpuSeconds, treeCpuSeconds } from "../cpu.ts";
import { packageVersion } from "../machine.ts";

await contend(async (task) => {
  const folder = await mkdtemp(join(tmpdir(), "pawl-bench-restate-"));
  const ports = await freePorts(3);
  const [node, ingress, admin] = ports as [number, number, number];
  const server = startServer(folder, { node, ingress, admin, partitions: task.restatePartitions });
  const service = fork(fileURLToPath(new URL("restate-service.ts", import.meta.url)), [String(task.steps)], {
    env: { NODE_ENV: "production", RESTATE_LOGGING: "ERROR" },
  });
  const client = new Pool(`http://127.0.0.1:${ingress}`, { connections: task.inFlight });
  try {
    const [{ port }] = (await once(service, "message")) as [{ port: number }];
    await deploy(admin, port, server);

    const measured = await closedLoop({
      ...task,
      once: async () => {
        const { statusCode, body } = await client.request({ method: "POST", path: "/bench/execute" });
        const text = await body.text();
        if (statusCode !== 200 || Number(text) !== task.steps) throw new Error(`${statusCode}: ${text}`);
      },
      sample: () => ({
        client: treeCpuSeconds(process.pid) - treeCpuSeconds(server.pid!) - treeCpuSeconds(service.pid!),
        store: treeCpuSeconds(server.pid!),
        service: treeCpuSeconds(service.pid!),
        machine: machineCpuSeconds(),
      }),
    });
    const verified = await verify(admin, service, measured.total, task.steps);
    const { before, after, seconds } = measured;
    return {
      name: "Restate",
      version: packageVersion(new URL("./node_modules/@restatedev/restate-server/", import.meta.url)),
      settings:
        `one node, ${task.restatePartitions} partition(s), WAL fsync on (its default), ` +
        `SDK ${packageVersion(new URL("./node_modules/@restatedev/restate-sdk/", import.meta.url))} service over HTTP/2 in ` +
        "its own process, HTTP ingress with keep-alive",
      perSecond: measured.perSecond,
      p50Ms: measured.p50Ms,
      p99Ms: measured.p99Ms,
      cores: coresOf(before, after, seconds),
      verified,
    };
  } finally {
    await client.destroy();
    service.disconnect();
    const ended = once(server, "exit");
    server.kill("SIGTERM");
    const hard = setTimeout(() => server.kill("SIGKILL"), 10_000);
    await ended;
    clearTimeout(hard);
    await rm(folder, { recursive: true, force: true });
  }
});

function startServer(
  folder: string,
  given: { node: number; ingress: number; admin: number; partitions: number },
): ChildProcess {
  const platform = `restate-server-${process.platform}-${process.arch}`;
  const binary = new URL(`./node_modules/@restatedev/${platform}/bin/restate-server`, import.meta.url);
  return spawn(fileURLToPath(binary), ["--no-logo", "--base-dir", folder], {
    stdio: ["ignore", "ignore", "inherit"],
    cwd: folder,
    env: {
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LOG_FILTER: "error",
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_NODE_NAME: "bench",
      RESTATE_BIND_IP: "127.0.0.1",
      RESTATE_ADVERTISED_HOST: "127.0.0.1",
      RESTATE_BIND_PORT: String(given.node),
      RESTATE_INGRESS__BIND_PORT: String(given.ingress),
      RESTATE_ADMIN__BIND_PORT: String(given.admin),
      RESTATE_DEFAULT_NUM_PARTITIONS: String(given.partitions),
    },
  });
}

/** Registers the service as soon as the server answers. */
async function deploy(admin: number, port: number, server: ChildProcess): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    if (server.exitCode !== null) throw new Error(`restate-server ended with ${server.exitCode}.`);
    try {
      const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ uri: `http://127.0.0.1:${port}` }),
      });
      if (response.ok) return;
      throw new Error(`${response.status} ${await response.text()}`);
    } catch (error) {
      if (attempt === 150) throw error;
      await delay(200);
    }
  }
}

async function verify(
  admin: number,
  service: ChildProcess,
  executions: number,
  steps: number,
): Promise<string> {
  service.send("count");
  const [{ stepsRun }] = (await once(service, "message")) as [{ stepsRun: number }];
  const response = await fetch(`http://127.0.0.1:${admin}/query`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({
      query:
        "select count(*) as n from sys_invocation where status = 'completed' and completion_result = 'success'",
    }),
  });
  const { rows } = (await response.json()) as { rows: { n: number }[] };
  const completed = rows[0]!.n;
  if (completed !== executions || stepsRun !== executions * steps) {
    throw new Error(
      `Restate holds ${completed} successes and ran ${stepsRun} steps of ${executions} executions.`,
    );
  }
  return `verified: ${completed} succeeded, ${stepsRun} steps run`;
}

/** Held together, so that they differ; the server binds them a moment later. */
async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports;
}
