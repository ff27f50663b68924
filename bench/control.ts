import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { createClient } from "../src/client/client.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { startServer } from "./server.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";

export interface ControlOptions {
  running: number;
  parked: number;
  stops: number;
  history: number;
}

type Client = ReturnType<typeof createClient>;
type Row = [what: string, value: string, goal: string];

/** What execution control costs: recovery, parked executions, a stop, and reading beside a long history. */
export async function benchControl(options: ControlOptions) {
  const machine = describeMachine();
  const rows: Row[] = [];
  let postgres: Record<string, string> = {};
  for (const measure of [resumeAfterKill, park, stopSteps, readHistory]) {
    await using database = await benchDatabase();
    postgres = await describePostgres(database.pool);
    rows.push(...(await measure(database, options)));
  }
  return { benchmark: "control", machine, postgres, options, rows };
}

export function printControl({ rows }: Awaited<ReturnType<typeof benchControl>>): string {
  return table(["what", "measured", "goal"], rows);
}

type Database = Awaited<ReturnType<typeof benchDatabase>>;

/** Steps under way when the server is killed: how long until each of them runs again in the next process. */
async function resumeAfterKill(database: Database, { running }: ControlOptions): Promise<Row[]> {
  await using held = await holdingServer();
  const env = { PAWL_MAX_RUNNING: String(running), PAWL_MAX_QUEUED: String(running) };
  const first = await startServer(database.url, env);
  const { token } = first;
  const client = createClient({ url: first.url, token });
  const jobId = await createJob(client, [
    { key: "before", type: "set", input: { values: { n: 1 } } },
    { key: "call", type: "http", input: { url: held.url }, timeoutMs: 600_000 },
  ]);
  await startMany(client, jobId, running);
  await held.holding(running);
  await first.kill();
  held.forget();

  const begun = performance.now();
  await using second = await startServer(database.url, env);
  const ready = performance.now() - begun;
  await held.holding(running);
  const resumed = performance.now() - begun;
  held.release();
  await until(async () => (await live(database.pool)) === 0);
  const { rows } = await database.pool.query<{ n: number }>(
    "select count(*)::int as n from execution where status = 'COMPLETED'",
  );
  if (rows[0]!.n !== running) throw new Error(`${rows[0]!.n} of ${running} completed.`);
  return [
    [`${running} running, killed: ready`, `${round(ready)} ms`, ""],
    [`${running} running, killed: each step runs again`, `${round(resumed)} ms`, "10000 ms"],
    ["peak memory of that server", `${round(memory(second.pid, "VmHWM"))} MiB`, ""],
  ];
}

/** The memory of a server that has just started, without and with parked executions. */
async function park(database: Database, { parked }: ControlOptions): Promise<Row[]> {
  const first = await startServer(database.url);
  const { token } = first;
  const client = createClient({ url: first.url, token });
  const jobId = await createJob(client, [{ key: "wait", type: "wait", input: { duration: "24h" } }]);
  const empty = await atRest(database.url);
  await startMany(client, jobId, parked);
  await until(async () => {
    const { rowCount } = await database.pool.query("select from live_execution where due_at is null limit 1");
    return rowCount === 0;
  });
  await first.kill();
  const full = await atRest(database.url);
  return [
    ["memory of a server at rest", `${round(empty)} MiB`, ""],
    [`memory that ${parked} parked executions add`, `${round(full - empty, 1)} MiB`, "50 MiB"],
  ];
}

async function stopSteps(database: Database, { stops }: ControlOptions): Promise<Row[]> {
  await using held = await holdingServer();
  await using server = await startServer(database.url);
  const client = createClient({ url: server.url, token: server.token });
  const jobId = await createJob(client, [{ key: "call", type: "http", input: { url: held.url } }]);
  const times: number[] = [];
  for (let i = 0; i < stops; i++) {
    const { executionId } = (await client.startJob({ body: { jobId } })).data;
    await held.holding(1);
    const begun = performance.now();
    await client.stopExecution({ body: { jobExecutionId: executionId } });
    times.push(performance.now() - begun);
    await held.holding(0);
  }
  return [
    [
      `stop of a running http step, ${stops} times`,
      `p50 ${quantile(times, 0.5)} ms, p95 ${quantile(times, 0.95)} ms`,
      "50 ms",
    ],
  ];
}

/** Summary and last execution of a job with ten executions and of one with very many, asked in turn. */
async function readHistory(database: Database, { history }: ControlOptions): Promise<Row[]> {
  await using server = await startServer(database.url);
  const client = createClient({ url: server.url, token: server.token });
  const set = [{ key: "a", type: "set", input: { values: { n: 1 } } }];
  const [small, large] = [await createJob(client, set), await createJob(client, set)];
  await startMany(client, small, 10);
  await startMany(client, large, 10);
  await until(async () => (await live(database.pool)) === 0);
  await pastExecutions(database.pool, large, history);

  const ask = {
    summary: (jobId: string) => client.getExecutionSummary({ params: { jobId } }),
    last: (jobId: string) => client.getLastExecution({ params: { jobId } }),
  };
  const rows: Row[] = [];
  for (const [name, read] of Object.entries(ask)) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let i = -50; i < 500; i++) {
      for (const [size, jobId] of [
        ["small", small],
        ["large", large],
      ] as const) {
        const begun = performance.now();
        await read(jobId);
        if (i >= 0) times[size].push(performance.now() - begun);
      }
    }
    const [p95Small, p95Large] = [quantile(times.small, 0.95), quantile(times.large, 0.95)];
    rows.push([
      `${name}: p95 at ${history} executions and at 10`,
      `${p95Large} ms and ${p95Small} ms, ratio ${round(p95Large / p95Small, 2)}`,
      "ratio 2",
    ]);
  }
  return rows;
}

async function pastExecutions(pool: pg.Pool, jobId: string, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("set statement_timeout = 0");
    await client.query(
      `insert into execution (id, job_id, job_version, job_name, workflow_id, status, triggered_by, started_by,
         parameters, started_at, ended_at)
       select uid, $1, 1, 'bench', uid, 'COMPLETED', 'api', 'bench', '{}', at, at + interval '5 milliseconds'
       from generate_series(1, $2::int) n,
         lateral (select now() - n * interval '2 seconds' as at) t,
         lateral (select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid as uid) i`,
      [jobId, count],
    );
    await client.query(
      `update job_counter set started = started + $2, completed = completed + $2, duration_ms = duration_ms + $2 * 5
       where (job_id, lane) = (select job_id, min(lane) from job_counter where job_id = $1 group by job_id)`,
      [jobId, count],
    );
    await client.query("vacuum analyze execution");
  } finally {
    client.release(true);
  }
}

async function createJob(client: Client, steps: Record<string, unknown>[]): Promise<string> {
  const body = { name: `bench ${crypto.randomUUID()}`, steps } as Parameters<Client["createJob"]>[0]["body"];
  return (await client.createJob({ body })).data.id;
}

async function startMany(client: Client, jobId: string, count: number): Promise<void> {
  let left = count;
  const starter = async () => {
    while (left-- > 0) await client.startJob({ body: { jobId } });
  };
  await Promise.all(Array.from({ length: 128 }, starter));
}

async function live(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ n: number }>("select count(*)::int as n from live_execution");
  return rows[0]!.n;
}

async function atRest(databaseUrl: string): Promise<number> {
  // The owner's lock goes to the newest only when the one before it is gone: this one looks on, or owns.
  await using server = await startServer(databaseUrl);
  await delay(5_000);
  return memory(server.pid, "VmRSS");
}

function memory(pid: number, what: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(new RegExp(`${what}:\\s+(\\d+) kB`).exec(status)![1]) / 1024;
}

function quantile(times: number[], q: number): number {
  const sorted = times.toSorted((a, b) => a - b);
  return round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!, 2);
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done())) await delay(20);
}

/** Answers no request before `release`. */
async function holdingServer() {
  let open = 0;
  let released = false;
  const answers = new Set<() => void>();
  const server = createServer((request, response) => {
    const answer = () => void response.end("{}");
    if (released) return answer();
    open++;
    answers.add(answer);
    request.socket.once("close", () => {
      if (answers.delete(answer)) open--;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", 65_535, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    holding: (count: number) => until(async () => open === count),
    forget() {
      answers.clear();
      open = 0;
    },
    release() {
      released = true;
      for (const answer of answers) answer();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
