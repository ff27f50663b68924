import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Outcome, runContender, type Task } from "./contender.ts";
import { postmasterOf } from "./cpu.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";

export interface PeersOptions {
  inFlight: number[];
  seconds: number;
  warmUpSeconds: number;
  repeat: number;
  dbosPool: number;
  /** Restate runs once with each: the default is not its fastest on few cores. */
  restatePartitions: number[];
}

const stepsPerExecution = 3;

interface Contender {
  name: string;
  file: string;
  postgres: boolean;
  restatePartitions?: number;
}

function contendersOf(options: PeersOptions): Contender[] {
  return [
    { name: "Pawl", file: "pawl-contender.ts", postgres: true },
    { name: "DBOS Transact", file: "peers/dbos.ts", postgres: true },
    ...options.restatePartitions.map((restatePartitions) => ({
      name: `Restate, ${restatePartitions} partition${restatePartitions === 1 ? "" : "s"}`,
      file: "peers/restate.ts",
      postgres: false,
      restatePartitions,
    })),
  ];
}

/** The same work on Pawl and on its peers, in turn: each in a process of its own, on a fresh store. */
export async function benchPeers(options: PeersOptions) {
  installPeers();
  const machine = describeMachine();
  let postgres: Record<string, string> = {};
  const runs: (Outcome & { inFlight: number; round: number })[] = [];
  for (let turn = 1; turn <= options.repeat; turn++) {
    for (const inFlight of options.inFlight) {
      for (const contender of contendersOf(options)) {
        const file = new URL(contender.file, import.meta.url);
        const { seconds, warmUpSeconds, dbosPool } = options;
        const { restatePartitions = 0 } = contender;
        const steps = stepsPerExecution;
        const task: Task = { inFlight, seconds, warmUpSeconds, steps, dbosPool, restatePartitions };
        let outcome: Outcome;
        if (contender.postgres) {
          await using database = await benchDatabase();
          postgres = await describePostgres(database.pool);
          const postmaster = postmasterOf(database.pgdata);
          outcome = await runContender(file, { ...task, databaseUrl: database.url, postmaster });
        } else {
          // Restate's server asks GitHub for its latest release at every start, and has no switch for that.
          outcome = await runContender(file, task, { loopbackOnly: true });
        }
        const { name } = contender;
        runs.push({ ...outcome, name, inFlight, round: turn });
        console.error(`${name}, ${inFlight} in flight, round ${turn}: ${round(outcome.perSecond)}/s`);
      }
    }
  }
  return { benchmark: "peers", machine, postgres, options, runs };
}

export function printPeers({ runs, options }: Awaited<ReturnType<typeof benchPeers>>): string {
  const contenders = contendersOf(options);
  const sections = options.inFlight.map((inFlight) => {
    const rows = contenders.map(({ name }) => {
      const own = runs.filter((run) => run.name === name && run.inFlight === inFlight);
      const rates = own.map((run) => run.perSecond).sort((a, b) => a - b);
      const middle = own.find((run) => run.perSecond === median(rates))!;
      return { name, rates, middle, rate: median(rates) };
    });
    const pawl = rows[0]!.rate;
    const best = Math.max(...rows.slice(1).map((row) => row.rate));
    const lines = rows.map(({ name, rates, middle, rate }) => [
      name,
      middle.version,
      inFlight,
      round(rate),
      `${round(rates[0]!)}–${round(rates.at(-1)!)}`,
      round(middle.p50Ms, 1),
      round(middle.p99Ms, 1),
      Object.entries(middle.cores)
        .map(([who, cores]) => `${who} ${round(cores, 2)}`)
        .join(", "),
      `${round(pawl / rate, 1)}x`,
      middle.verified,
    ]);
    const columns = [
      "engine",
      "version",
      "in flight",
      "exec/s",
      "spread",
      "p50 ms",
      "p99 ms",
      "cores",
      "Pawl is",
      "",
    ];
    const verdict = `Pawl does ${round(pawl / best, 1)} times what the best peer does at ${inFlight} in flight.`;
    return `${table(columns, lines)}\n${verdict}`;
  });
  const settings = contenders.map(
    ({ name }) => `${name}: ${runs.find((run) => run.name === name)!.settings}`,
  );
  return `${sections.join("\n\n")}\n\n${settings.join("\n")}\nMedian of ${options.repeat}; each run ${options.seconds} s after ${options.warmUpSeconds} s of warm-up.`;
}

/** The lower middle one, so that it is a run that took place. */
function median(sorted: readonly number[]): number {
  return sorted[(sorted.length - 1) >> 1]!;
}

function installPeers(): void {
  const folder = fileURLToPath(new URL("peers", import.meta.url));
  if (existsSync(`${folder}/node_modules/.package-lock.json`)) return;
  console.error("Installing DBOS Transact and Restate into bench/peers (about 240 MB), this once.");
  // No install scripts: the only one is a download counter.
  const { status } = spawnSync(
    "npm",
    ["ci", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund"],
    {
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  if (status !== 0) throw new Error("npm could not install bench/peers; the peers cannot be measured.");
}
