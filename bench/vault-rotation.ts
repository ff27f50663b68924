import { setTimeout as delay } from "node:timers/promises";
import { createClient } from "../src/client/client.ts";
import type { VaultState } from "../src/contract/vault.ts";
import { startServer } from "./server.ts";
import { round } from "./table.ts";
import { type KnownSecrets, openCaller, steadyLoad } from "./vault-load.ts";

type Server = Awaited<ReturnType<typeof startServer>>;
type Rotation = NonNullable<VaultState["rotation"]>;
type Row = [what: string, value: string, goal: string];

interface Given {
  server: Server;
  ids: readonly string[];
  known: KnownSecrets;
  /** Requests a second meanwhile. */
  requests: number;
  /** How long the same requests are sent without a rotation, to compare. */
  seconds: number;
}

const connections = 64;

/** Seals everything anew while requests come at a steady rate; the same requests before show what it costs them. */
export async function rotateUnderLoad(given: Given): Promise<Row[]> {
  const { server, ids, known, requests, seconds } = given;
  const client = createClient(server);
  const caller = openCaller({ ...server, connections });
  const quiet = steadyLoad(caller, ids, known, requests);
  await delay(seconds * 1000);
  const before = await quiet.end();

  const load = steadyLoad(caller, ids, known, requests);
  const begun = performance.now();
  const rotation = await followRotation(client, async () => (await client.rotateVault()).data);
  const took = (performance.now() - begun) / 1000;
  const during = await load.end();
  await caller.close();
  const failures = [...before.failures, ...during.failures];
  if (failures.length > 0) console.error(`Failed requests, the first of them: ${failures[0]}`);
  const figures = ({ perSecond, p50Ms, p99Ms, maxMs }: typeof before) =>
    `${round(perSecond)}/s, p50 ${round(p50Ms, 1)} ms, p99 ${round(p99Ms, 1)} ms, max ${round(maxMs)} ms`;
  return [
    ["requests without a rotation", figures(before), ""],
    ["requests during a rotation", figures(during), `${requests}/s`],
    ["failed", `${failures.length}`, "0"],
    ["rotation: values sealed anew", `${rotation.last.done} of ${rotation.last.total}`, "all"],
    ["rotation: took", `${round(took, 1)} s, ${round(rotation.last.done / took)} values/s`, ""],
    [
      "rotation: its progress went back, or over its total",
      `${rotation.wrong} of ${rotation.looks} looks`,
      "0",
    ],
  ];
}

/** Kills the server in the middle of another rotation; the next one goes on with it. */
export async function rotateOverKill(
  server: Server,
  databaseUrl: string,
  env: Record<string, string>,
): Promise<Row[]> {
  const client = createClient(server);
  const { data: begun } = await client.rotateVault();
  let state = begun;
  while (state.rotation!.total === 0 || state.rotation!.done < state.rotation!.total / 2) {
    if (state.rotation!.finishedAt)
      throw new Error("The rotation was over before it could be interrupted: more values.");
    await delay(20);
    ({ data: state } = await client.readVault());
  }
  await server.kill();
  const { done, total } = state.rotation!;

  const killed = performance.now();
  await using next = await startServer(databaseUrl, env);
  const after = createClient({ url: next.url, token: server.token });
  const { last } = await followRotation(after, async () => (await after.readVault()).data);
  const took = (performance.now() - killed) / 1000;
  return [
    ["killed (-9) after", `${done} of ${total}`, ""],
    ["ended by the next process", `${last.done} of ${last.total}, ${round(took, 1)} s after the kill`, "all"],
  ];
}

/** Looks until it is over how far it is, and whether what it says adds up. */
async function followRotation(client: ReturnType<typeof createClient>, first: () => Promise<VaultState>) {
  let looks = 0;
  let wrong = 0;
  let last: Rotation = (await first()).rotation!;
  const { id } = last;
  while (!last.finishedAt) {
    await delay(200);
    const { data } = await client.readVault();
    const now = data.rotation!;
    looks++;
    if (now.id !== id || now.done > now.total || now.done < last.done) wrong++;
    last = now;
  }
  if (last.unreadable > 0) throw new Error(`${last.unreadable} values could not be opened.`);
  return { last, looks, wrong };
}
