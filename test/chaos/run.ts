import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { findWrongs } from "./check.ts";
import { every, openDatabase, type Span, type SupervisedServer, superviseServer } from "./faults.ts";
import { spawnLedger } from "./ledger.ts";
import { createLoad, type Load, type Story } from "./load.ts";
import { random } from "./random.ts";

export interface ChaosOptions {
  seed: number;
  executions: number;
  perSecond: number;
  atATime: number;
  /** Milliseconds between two kills of the server, from when it is up. */
  killEvery: readonly [number, number];
  /** Milliseconds between two stops of PostgreSQL, and how long one lasts. */
  stopEvery: readonly [number, number];
  stopFor: readonly [number, number];
  progress?: (line: string) => void;
  /** Spoils what is looked at afterwards: the proof that it is looked at. */
  spoil?: (pool: pg.Pool, calls: Map<string, number[]>, stories: readonly Story[]) => Promise<void>;
  /** How long everything may take to end once the faults are over. */
  patienceMs: number;
}

export interface ChaosReport {
  seed: number;
  executions: number;
  kills: number;
  outages: number;
  /** Ends of the server that nobody asked for. */
  ends: { code: number | null; stderr: string }[];
  requests: Record<string, number>;
  slowestMs: number;
  /** Of requests that no fault touched, those that were answered with success or a refusal that is one. */
  live: number | undefined;
  bootMs: { median: number; max: number };
  statuses: Record<string, number>;
  calls: number;
  seconds: number;
  wrongs: string[];
  /** The rows of the executions that something is wrong with, and the server's errors. */
  dump: unknown;
}

/** Runs executions in mixed states while the server is killed and its database stopped, and looks what became of them. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const begun = performance.now();
  await using ledger = await spawnLedger();
  await using database = await openDatabase();
  await using server = superviseServer(database.url);
  const load = createLoad(server, ledger.url, random(options.seed));
  await load.setUp();
  const show = setInterval(() => {
    options.progress?.(progress(load, server, database.outages.length));
  }, 5_000);

  // Each has its own numbers: how far one has come must not change what the other does.
  const uptimes = random(options.seed + 1);
  const killing = every(uptimes, [0, 0], async (signal) => {
    await server.now();
    await delay(uptimes.between(...options.killEvery), undefined, { signal }).then(
      server.kill,
      () => undefined,
    );
  });
  const lengths = random(options.seed + 3);
  const stopping = every(random(options.seed + 2), options.stopEvery, () =>
    database.stopFor(lengths.between(...options.stopFor)),
  );
  await load.run(options.executions, options.perSecond, options.atATime).finally(() => clearInterval(show));
  await Promise.all([killing.end(), stopping.end()]);

  await server.now();
  const pool = new pg.Pool({ connectionString: database.url, max: 2 });
  pool.on("error", () => undefined);
  try {
    const wrongs = [...(await untilAllEnded(pool, load, options.patienceMs)), ...server.faults];
    const calls = await ledger.calls();
    await options.spoil?.(pool, calls, load.stories);
    wrongs.push(...(await findWrongs({ pool, load, server, outages: database.outages, calls })));
    const { rows } = await pool.query("select status, count(*)::int as n from execution group by status");
    const took = load.requests.map(({ tookMs }) => tookMs);
    const boots = server.boots.toSorted((a, b) => a - b);
    return {
      seed: options.seed,
      executions: load.stories.length,
      kills: server.deaths.length,
      outages: database.outages.length,
      ends: server.ends.map(({ code, stderr }) => ({ code, stderr })),
      requests: countBy(load.requests.map(({ code }) => code)),
      slowestMs: Math.max(0, ...took),
      live: liveness(load, server, database.outages),
      bootMs: { median: Math.round(boots[boots.length >> 1] ?? 0), max: Math.round(boots.at(-1) ?? 0) },
      statuses: Object.fromEntries(rows.map(({ status, n }) => [status, n])),
      calls: [...calls.values()].reduce((sum, times) => sum + times.length, 0),
      seconds: Math.round((performance.now() - begun) / 1_000),
      wrongs,
      dump: wrongs.length === 0 ? undefined : await dump(pool, wrongs, server),
    };
  } finally {
    await pool.end();
  }
}

async function untilAllEnded(pool: pg.Pool, load: Load, patienceMs: number): Promise<string[]> {
  const limit = performance.now() + patienceMs;
  for (;;) {
    const { rows } = await pool.query<{ id: string; held: "pause" | "decision" | null }>(
      "select execution_id::text as id, held from live_execution",
    );
    if (rows.length === 0) return [];
    if (performance.now() > limit) {
      return [`${rows.length} executions did not end within ${patienceMs} ms: ${rows[0]!.id}, …`];
    }
    await load.release(rows.flatMap(({ id, held }) => (held === null ? [] : [{ id, held }])));
    await delay(50);
  }
}

const fewest = 50;

/** A server that answers nothing breaks no other promise. Undefined where too few requests met with no fault. */
function liveness(load: Load, server: SupervisedServer, outages: readonly Span[]): number | undefined {
  const settlesMs = 300;
  const faults = [...server.away, ...outages];
  const calm = load.requests.filter(
    ({ from, tookMs }) =>
      !faults.some((fault) => fault.from - settlesMs <= from + tookMs && from <= fault.to + settlesMs),
  );
  if (calm.length < fewest) return undefined;
  return calm.filter(({ code }) => code === "OK" || code === "INVALID_STATE").length / calm.length;
}

async function dump(pool: pg.Pool, wrongs: string[], server: SupervisedServer): Promise<unknown> {
  const ids = [
    ...new Set(wrongs.flatMap((wrong) => wrong.match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g) ?? [])),
  ];
  const found: Record<string, unknown> = {
    serverLog: server.log().slice(-20),
    deaths: server.deaths.slice(-20),
  };
  const tables = ["execution", "live_execution", "step_execution", "execution_run", "execution_action"];
  for (const table of tables) {
    const key = table === "execution" ? "id" : "execution_id";
    const { rows } = await pool.query(`select * from ${table} where ${key} = any($1::uuid[])`, [
      ids.slice(0, 5),
    ]);
    found[table] = rows;
  }
  const { rows } = await pool.query("select * from journal_lane");
  return { ...found, journal_lane: rows };
}

function progress(load: Load, server: SupervisedServer, outages: number): string {
  const counts = countBy(load.requests.map(({ code }) => code));
  return `${load.stories.length} executions, ${server.deaths.length} kills, ${outages} outages, ${JSON.stringify(counts)}`;
}

function countBy(of: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of of) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}
