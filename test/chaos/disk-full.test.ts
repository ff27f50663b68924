import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ClientError } from "../../src/client/error.ts";
import { startEmbedded } from "../../src/db/embedded.ts";
import { scratchRoot } from "../helpers/scratch.ts";
import { superviseServer } from "./faults.ts";
import { moveFolder, smallDisk } from "./small-disk.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

describe("when a disk is full", () => {
  for (const full of ["data", "write-ahead log"] as const) {
    test(`the one of the ${full}: starts are refused with 503, what was acknowledged ends once there is room`, async (t) => {
      const mounted = await smallDisk(full === "data" ? 160 : 80);
      if ("refused" in mounted) return t.skip(`no small disk can be mounted here: ${mounted.refused}`);
      await using small = mounted;
      const ample = mkdtempSync(join(scratchRoot(), "pawl-chaos-ample-"));
      await using _ = { [Symbol.asyncDispose]: () => rm(ample, { recursive: true, force: true }) };
      const [data, log] = full === "data" ? [small.folder, ample] : [ample, small.folder];

      const made = await startEmbedded({ dataDir: data });
      await made.stop();
      await moveFolder(join(made.pgdata, "pg_wal"), join(log, "wal"));
      // A server that dies of it is started again, for longer than Pawl's own would be.
      const database = await ever(data);
      await using __ = { [Symbol.asyncDispose]: database.stop };
      await using server = superviseServer(database.url);
      const client = await server.now();
      const { data: job } = await client.createJob({
        body: {
          name: "keeps",
          steps: ["a", "b", "c"].map((key) => ({
            key,
            type: "set",
            input: { values: { text: "{{ params.text }}" } },
          })),
        },
      });
      const acknowledged: string[] = [];
      const refused: ClientError[] = [];
      let slowest = 0;
      const start = async () => {
        const begun = performance.now();
        try {
          const body = { jobId: job.id, parameters: { text: randomText(100 * KIB) } };
          const answer = await (await server.now()).startJob({ body, signal: AbortSignal.timeout(20_000) });
          acknowledged.push(answer.data.executionId);
        } catch (error) {
          assert.ok(error instanceof ClientError, String(error));
          refused.push(error);
        }
        slowest = Math.max(slowest, performance.now() - begun);
      };

      await Promise.all(Array.from({ length: 5 }, start));
      assert.equal(acknowledged.length, 5);
      small.fill(2 * MIB);
      const limit = performance.now() + 30_000;
      while (refused.length < 20 && performance.now() < limit)
        await Promise.all(Array.from({ length: 8 }, start));
      assert.ok(refused.length >= 20, "the disk was never full");
      for (const { code, status, retryAfter } of refused) {
        if (code === "UNREACHABLE") continue;
        assert.deepEqual([code, status], ["STORE_UNAVAILABLE", 503]);
        assert.ok(retryAfter! > 0, "it says when to come again");
      }
      assert.ok(slowest < 5_000, `a start took ${Math.round(slowest)} ms`);

      small.free();
      const pool = new pg.Pool({ connectionString: database.url, max: 1 });
      pool.on("error", () => undefined);
      try {
        const statuses = await until(async () => {
          const { rows } = await pool.query<{ id: string; status: string; results: number }>(
            `select e.id::text, e.status, (select count(*)::int from step_execution s where s.execution_id = e.id) as results from execution e`,
          );
          return rows.every(({ status }) => status !== "RUNNING") ? rows : undefined;
        });
        const byId = new Map(statuses.map((row) => [row.id, row]));
        for (const id of acknowledged) {
          const { status, results } = byId.get(id) ?? {};
          assert.deepEqual([status, results], ["COMPLETED", 3], `the acknowledged ${id}`);
        }
        const before = acknowledged.length;
        await until(async () => {
          await start();
          return acknowledged.length > before || undefined;
        });
      } finally {
        await pool.end();
      }
      const ends = server.ends.map(({ code, stderr }) => `${code}: ${stderr}`);
      t.diagnostic(
        `${acknowledged.length} acknowledged, ${refused.length} refused, slowest ${Math.round(slowest)} ms, ${database.lost()} server losses, ends ${ends}`,
      );
      assert.deepEqual(server.ends, [], "the server outlives it");
      assert.deepEqual(server.faults, []);
    });
  }
});

/** A server that is given up is started again, until it stays. */
async function ever(dataDir: string) {
  let lost = 0;
  let over = false;
  let server: Awaited<ReturnType<typeof startEmbedded>> | undefined;
  let again: Promise<void> = Promise.resolve();
  const start = async (): Promise<void> => {
    while (!over) {
      try {
        server = await startEmbedded({ dataDir, onLost });
        return;
      } catch {
        lost++;
        await delay(500);
      }
    }
  };
  function onLost(): void {
    lost++;
    const dead = server;
    again = (async () => {
      await dead?.stop({ limitMs: 0 }).catch(() => undefined);
      await start();
    })();
  }
  await start();
  return {
    url: server!.url,
    lost: () => lost,
    async stop() {
      over = true;
      await again;
      await server?.stop({ limitMs: 0 }).catch(() => undefined);
    },
  };
}

/** What doesn't compress. */
function randomText(length: number): string {
  return randomBytes((length * 3) / 4).toString("base64");
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  const limit = performance.now() + 60_000;
  let last: unknown;
  for (;;) {
    const found = await look().catch((error: unknown) => {
      last = error;
      return undefined;
    });
    if (found !== undefined) return found;
    assert.ok(performance.now() < limit, `waited in vain; ${last}`);
    await delay(50);
  }
}
