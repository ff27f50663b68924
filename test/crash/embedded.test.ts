import assert from "node:assert/strict";
import { test } from "node:test";
import { SUPERUSER } from "../../src/db/embedded/initialise.ts";
import { readPidFile } from "../../src/db/embedded/pid-file.ts";
import { pgdataOf } from "../../src/db/embedded/place.ts";
import { readState } from "../../src/db/embedded/state.ts";
import { pawlHome } from "../helpers/pawl-process.ts";
import { openCrashTest } from "./helpers/crash-test.ts";

test("loses nothing when Pawl dies, when its PostgreSQL dies, and when both do", async () => {
  await using home = pawlHome();
  let pawl = await home.start();
  const { password, port } = await readState(home.dataDir);
  const databaseUrl = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/pawl`;
  await using crash = await openCrashTest({ databaseUrl, home });
  const { ledger, load, records } = crash;
  await load.setUp(pawl);

  const underLoad = async (end: () => Promise<unknown>) => {
    const middle = ledger.nthCall(60);
    const running = load.run(pawl, { count: 80 });
    await pawl.whileUp(middle);
    await end();
    await running;
  };

  const before = await postmaster(home.dataDir);
  await underLoad(() => pawl.kill());
  await records.noteCrash();
  pawl = await home.start();
  assert.equal(await postmaster(home.dataDir), before, "the orphan was adopted");

  await underLoad(async () => {
    process.kill(before, "SIGKILL");
    await pawl.kill();
  });
  // Once up, the database is looked at before anything runs.
  const { signal } = (await home.startOrEnd({
    PAWL_FAILPOINT: "recovery.before-load:crash",
  })) as { signal?: string };
  assert.equal(signal, "SIGKILL");
  await records.noteCrash();
  pawl = await home.start();

  await underLoad(async () => process.kill(await postmaster(home.dataDir), "SIGKILL"));
  for (const { error } of load.refused) assert.equal(error.code, "STORE_UNAVAILABLE", error.message);
  await load.repeatUnanswered(pawl);
  await pawl.whileUp(records.assertExact(pawl));
  assert.equal((await pawl.terminate()).code, 0);
});

/** Process id of the embedded server. */
async function postmaster(dataDir: string): Promise<number> {
  return (await readPidFile(pgdataOf(dataDir, await readState(dataDir))))!.pid;
}
