import type { ChildProcess } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient } from "../../src/client/client.ts";
import { type EmbeddedServer, startEmbedded } from "../../src/db/embedded.ts";
import { removeEmbedded } from "../../src/db/remove-embedded.ts";
import { spawnPawl } from "../helpers/pawl-command.ts";
import { scratchRoot } from "../helpers/scratch.ts";
import type { Random } from "./random.ts";

/** A stretch of time; `to` is Infinity while it lasts. */
export interface Span {
  from: number;
  to: number;
}

/** A PostgreSQL server of the run's own, durable, that can be stopped and started. */
export async function openDatabase() {
  const dataDir = mkdtempSync(join(scratchRoot(), "pawl-chaos-"));
  // The account that runs the server may pass.
  chmodSync(dataDir, 0o711);
  let server: EmbeddedServer | undefined = await startEmbedded({ dataDir });
  const { url } = server;
  const outages: Span[] = [];
  return {
    url,
    outages,
    /** Cut off in the middle of whatever it does; back after so long, on the same port. */
    async stopFor(ms: number): Promise<void> {
      const outage: Span = { from: Date.now(), to: Number.POSITIVE_INFINITY };
      outages.push(outage);
      await server?.stop({ limitMs: 0 });
      server = undefined;
      await delay(ms);
      server = await startEmbedded({ dataDir });
      if (server.url !== url) throw new Error("The database came back elsewhere; start the run again.");
      outage.to = Date.now();
    },
    async [Symbol.asyncDispose]() {
      await server?.stop({ limitMs: 0 });
      await removeEmbedded(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const bootLimitMs = 30_000;

/** Keeps `pawl serve` running on the database, as a supervisor would: whenever it ends, it is started again. */
export function superviseServer(databaseUrl: string) {
  const dataDir = mkdtempSync(join(scratchRoot(), "pawl-chaos-home-"));
  const away: Span[] = [{ from: Date.now(), to: Number.POSITIVE_INFINITY }];
  const deaths: number[] = [];
  const ends: { at: number; code: number | null; stderr: string }[] = [];
  const boots: number[] = [];
  const faults: string[] = [];
  let process: ChildProcess | undefined;
  let present: Client | undefined;
  let waiting: ((client: Client) => void)[] = [];
  let log = "";
  let killed = false;
  let over = false;

  async function supervise(): Promise<void> {
    while (!over) {
      const begun = performance.now();
      const command = spawnPawl(["serve"], {
        env: {
          NODE_ENV: "test",
          PAWL_DATA_DIR: dataDir,
          PAWL_PORT: "0",
          PAWL_LOG_FORMAT: "json",
          PAWL_LOG_LEVEL: "warn",
          DATABASE_URL: databaseUrl,
        },
      });
      process = command.process;
      const limit = setTimeout(() => {
        faults.push(`The server was not ready ${bootLimitMs} ms after its start, and did not end.`);
        killed = true;
        command.process.kill("SIGKILL");
      }, bootLimitMs);
      const url = await command.until(/Pawl is ready at (\S+)/).then(
        (match) => match[1],
        () => undefined,
      );
      clearTimeout(limit);
      if (url !== undefined) {
        boots.push(performance.now() - begun);
        away.at(-1)!.to = Date.now();
        present = createClient({ url, token: readFileSync(join(dataDir, "admin-token"), "utf8").trim() });
        for (const resolve of waiting) resolve(present);
        waiting = [];
      }
      const { code, stdout, stderr } = await command.ended;
      present = undefined;
      if (url !== undefined) away.push({ from: Date.now(), to: Number.POSITIVE_INFINITY });
      log = `${log}${stdout}`.slice(-20_000);
      if (!killed && !over) ends.push({ at: Date.now(), code, stderr: stderr.slice(-500) });
      killed = false;
      if (url === undefined && !over) await delay(100);
    }
  }
  const done = supervise();

  return {
    /** When it could not answer. */
    away,
    /** When it was killed by us. */
    deaths,
    /** When it ended of its own accord, and how. */
    ends,
    /** How long its starts took, in milliseconds. */
    boots,
    faults,
    log: () => log,
    /** A client of the server that is there now, or of the next one. */
    now: (): Promise<Client> =>
      present ? Promise.resolve(present) : new Promise((resolve) => waiting.push(resolve)),
    kill(): void {
      if (!present) return;
      killed = true;
      present = undefined;
      deaths.push(Date.now());
      process?.kill("SIGKILL");
    },
    async [Symbol.asyncDispose]() {
      over = true;
      process?.kill("SIGKILL");
      await done;
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export type SupervisedServer = ReturnType<typeof superviseServer>;

/** Does it again and again, at random times, until told to end. */
export function every(
  chance: Random,
  [low, high]: readonly [number, number],
  work: (ended: AbortSignal) => Promise<void> | void,
): { end(): Promise<void> } {
  const ended = new AbortController();
  const loop = (async () => {
    for (;;) {
      await delay(chance.between(low, high), undefined, { signal: ended.signal }).catch(() => {});
      if (ended.signal.aborted) return;
      await work(ended.signal);
    }
  })();
  return {
    end() {
      ended.abort();
      return loop;
    },
  };
}
