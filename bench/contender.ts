import { fork, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a contender is asked to do, in a process of its own. */
export interface Task {
  inFlight: number;
  seconds: number;
  warmUpSeconds: number;
  steps: number;
  /** Of a fresh embedded PostgreSQL; Restate has a store of its own. */
  databaseUrl?: string;
  /** Pid of that PostgreSQL, for its processor time. */
  postmaster?: number;
  /** Connections of DBOS to its system database. */
  dbosPool: number;
  restatePartitions: number;
}

export interface Outcome {
  name: string;
  version: string;
  settings: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processors in use on average: the client and the engine, the database or server, and the workers apart from them. */
  cores: { client: number; store: number; service?: number; others: number };
  verified: string;
}

/**
 * Runs a contender's file in a process of its own, and answers what it sends. `loopbackOnly`: in a network namespace that
 * has nothing but loopback, where the system lets us make one.
 */
export function runContender(
  file: URL,
  task: Task,
  options: { loopbackOnly?: boolean } = {},
): Promise<Outcome> {
  const node = options.loopbackOnly && canIsolate() ? isolatedNode : {};
  const child = fork(fileURLToPath(file), [JSON.stringify(task)], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    execArgv: ["--no-deprecation"],
    ...node,
  });
  return new Promise((resolve, reject) => {
    let outcome: Outcome | undefined;
    child.once("message", (message) => {
      outcome = message as Outcome;
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      if (outcome && code === 0) resolve(outcome);
      else reject(new Error(`${fileURLToPath(file)} ended with ${signal ?? code} before it had a result.`));
    });
  });
}

const isolation = ["--map-root-user", "--net", "sh", "-c", 'ip link set lo up && exec "$0" "$@"'];

const isolatedNode = {
  execPath: "unshare",
  execArgv: [...isolation, process.execPath, "--no-deprecation"],
};

function canIsolate(): boolean {
  return spawnSync("unshare", [...isolation, "true"], { stdio: "ignore" }).status === 0;
}

/** The contender's side: does the task and ends the process. */
export async function contend(run: (task: Task) => Promise<Outcome>): Promise<void> {
  const outcome = await run(JSON.parse(process.argv[2]!) as Task);
  process.send!(outcome, () => process.disconnect());
}

interface CpuSample {
  client: number;
  store: number;
  service?: number;
  machine: number;
}

/** Processors in use between both ends of a window. `others` is what is not ours: a run with much of it says little. */
export function coresOf(before: CpuSample, after: CpuSample, seconds: number): Outcome["cores"] {
  const used = (name: keyof CpuSample) => ((after[name] ?? 0) - (before[name] ?? 0)) / seconds;
  const [client, store, service] = [used("client"), used("store"), used("service")];
  const others = used("machine") - client - store - service;
  return { client, store, ...(after.service === undefined ? {} : { service }), others };
}
