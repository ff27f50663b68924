import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, watch } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { removeEmbedded } from "../src/db/remove-embedded.ts";
import { spawnPawl } from "./helpers/pawl-command.ts";
import { scratchRoot } from "./helpers/scratch.ts";

/** `pawl serve` on a fresh data directory, at the moment when its database is being made. */
async function firstStart(t: TestContext) {
  const dataDir = await mkdtemp(join(scratchRoot(), "pawl-interrupt-"));
  // The account that runs the server may pass, so that nothing is put outside the folder.
  chmodSync(dataDir, 0o711);
  t.after(async () => {
    await removeEmbedded(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const making = Promise.withResolvers<void>();
  const watcher = watch(dataDir, () => {
    if (existsSync(join(dataDir, "postgres.new"))) making.resolve();
  });
  const env = { PAWL_DATA_DIR: dataDir, PAWL_PORT: "0", PAWL_LOG_LEVEL: "warn" };
  const command = spawnPawl(["serve"], { env, group: true });
  await making.promise;
  watcher.close();
  return { dataDir, group: -command.process.pid!, command };
}

test("a Ctrl-C while the database is being made ends in order, and speaks of no fault", async (t) => {
  const { dataDir, group, command } = await firstStart(t);
  process.kill(group, "SIGINT");
  const { code, stdout, stderr } = await command.ended;
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /error|has room|is ready/i);
  const left = await readdir(dataDir);
  assert.ok(left.includes("postgres"), "the database was made");
  assert.equal(left.includes("pawl.pid"), false);
});

test("a second Ctrl-C ends what makes the database too", async (t) => {
  const { dataDir, command } = await firstStart(t);
  const insist = setInterval(() => command.process.kill("SIGINT"), 100);
  const { code } = await command.ended.finally(() => clearInterval(insist));
  // A quick machine has made the database before the second one counts.
  assert.ok(code === 130 || code === 0, String(code));
  // A server that was made by then is left to the next start, which adopts it.
  assert.equal(await untilNothingRunsIn(dataDir, /initdb|--boot|--single/), true);
});

/** Whether no process names the folder any more, within the time that one may take to end after a signal. */
async function untilNothingRunsIn(folder: string, kind = /./): Promise<boolean> {
  for (let looks = 0; looks < 200; looks++) {
    const processes = execFileSync("/bin/ps", ["-axo", "command="], { encoding: "utf8" });
    if (!processes.split("\n").some((line) => line.includes(folder) && kind.test(line))) return true;
    await delay(25);
  }
  return false;
}
