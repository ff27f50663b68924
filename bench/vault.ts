import { memoryVault } from "../test/helpers/vault.ts";
import { closedLoop } from "./closed-loop.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { startServer } from "./server.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";
import { fillConnections, masterKey, verifySecrets } from "./vault-data.ts";
import { type Caller, connectionOf, type KnownSecrets, knownSecrets, openCaller } from "./vault-load.ts";
import { rotateOverKill, rotateUnderLoad } from "./vault-rotation.ts";

export interface VaultOptions {
  values: number;
  requests: number;
  seconds: number;
  inFlight: number[];
}

type Row = [what: string, value: string, goal: string];

const env = {
  PAWL_MASTER_KEY: masterKey.toString("base64"),
  // What is measured is what they would limit.
  PAWL_DECRYPT_LIMIT: "0",
};

/** What sealing costs, and what a rotation of many values does to those who are served meanwhile. */
export async function benchVault(options: VaultOptions) {
  const machine = describeMachine();
  const rows: Row[] = [...sealing()];
  await using database = await benchDatabase();
  const postgres = await describePostgres(database.pool);
  const ids = await fillConnections(database.pool, options.values);
  const known = knownSecrets();
  {
    await using server = await startServer(database.url, env);
    const { requests, seconds } = options;
    rows.push(...(await fetching(server, ids, options)));
    rows.push(...(await upserting(server, known, options)));
    rows.push(...(await rotateUnderLoad({ server, ids, known, requests, seconds })));
    rows.push(...(await rotateOverKill(server, database.url, env)));
  }
  const kept = await verifySecrets(database.pool, known.expected);
  rows.push(["secrets read back after both rotations", `${kept.values}`, ""]);
  rows.push(["of them lost", `${kept.lost}`, "0"], ["sealed with an old key", `${kept.underOldKeys}`, "0"]);
  if (kept.lost > 0) throw new Error(`${kept.lost} of ${kept.values} secrets are lost.`);
  return { benchmark: "vault", machine, postgres, options, rows };
}

export function printVault({ rows }: Awaited<ReturnType<typeof benchVault>>): string {
  return table(["what", "measured", "goal"], rows);
}

/** One processor, no database. */
function sealing(): Row[] {
  const vault = memoryVault();
  const context = { record: "01a1fed8-8b97-7983-a10b-b21ec36618cf", field: "password" };
  return [40, 4096].flatMap((length): Row[] => {
    const text = "s".repeat(length);
    const sealed = vault.seal("connection", context, text);
    return [
      [`seal, ${length} characters`, `${perSecond(() => vault.seal("connection", context, text))}/s`, ""],
      [`open, ${length} characters`, `${perSecond(() => vault.open("connection", context, sealed))}/s`, ""],
    ];
  });
}

function perSecond(work: () => void): number {
  for (let n = 0; n < 5_000; n++) work();
  const begun = performance.now();
  let done = 0;
  for (; performance.now() - begun < 1_000; done += 100) for (let n = 0; n < 100; n++) work();
  return Math.round((done * 1000) / (performance.now() - begun));
}

interface Server {
  url: string;
  token: string;
}

async function fetching(server: Server, ids: readonly string[], options: VaultOptions): Promise<Row[]> {
  let n = 0;
  return measured(server, options, "decrypted fetch", async ({ send }) => {
    const { status, text } = await send("GET", `/connection/decrypted/${ids[(n++ * 7919) % ids.length]}`);
    if (status !== 200) throw new Error(`A fetch answered ${status}: ${text.slice(0, 200)}`);
  });
}

async function upserting(server: Server, known: KnownSecrets, options: VaultOptions): Promise<Row[]> {
  let n = 0;
  return measured(server, options, "upsert, new", async ({ send }) => {
    const body = connectionOf(`new ${n++}`, "a new password");
    const { status, text } = await send("POST", "/connection/upsert", body);
    if (status !== 201) throw new Error(`An upsert answered ${status}: ${text.slice(0, 200)}`);
    known.entered((JSON.parse(text) as { data: { id: string } }).data.id, "a new password");
  });
}

async function measured(
  server: Server,
  { inFlight, seconds }: VaultOptions,
  what: string,
  once: (caller: Caller) => Promise<void>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const connections of inFlight) {
    const caller = openCaller({ ...server, connections });
    const run = await closedLoop({
      inFlight: connections,
      warmUpSeconds: Math.min(2, seconds),
      seconds,
      once: () => once(caller),
      sample: () => {},
    });
    await caller.close();
    rows.push([
      `${what}, ${connections} at a time`,
      `${round(run.perSecond)}/s, p50 ${round(run.p50Ms, 1)} ms, p99 ${round(run.p99Ms, 1)} ms`,
      "",
    ]);
  }
  return rows;
}
