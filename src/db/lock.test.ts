import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { lockDataDirectory } from "./lock.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "pawl-lock-"));
});
afterEach(() => rm(directory, { recursive: true }));

test("refuses a second holder in the same process, until it is released", () => {
  const first = lockDataDirectory(directory);
  assert.throws(() => lockDataDirectory(directory), {
    code: "DATA_DIRECTORY_LOCKED",
    message: new RegExp(`process ${process.pid}\\) is running on the data directory .*PAWL_DATA_DIR`),
  });
  first.release();
  first.release();
  assert.equal(existsSync(join(directory, "pawl.pid")), false);
  lockDataDirectory(directory).release();
});

test("names the process that holds it, and is free at once when that is killed", async () => {
  const holder = await spawnHolder();
  assert.throws(() => lockDataDirectory(directory), {
    code: "DATA_DIRECTORY_LOCKED",
    message: new RegExp(`process ${holder.pid}\\)`),
  });
  holder.kill("SIGKILL");
  await once(holder, "exit");
  lockDataDirectory(directory).release();
});

test("is not fooled by a pid file that names a living process", () => {
  writeFileSync(join(directory, "pawl.pid"), `${process.ppid}\n`);
  lockDataDirectory(directory).release();
});

test("says so when the directory cannot be used", () => {
  assert.throws(() => lockDataDirectory(join(directory, "missing")), {
    code: "DATA_DIRECTORY_UNUSABLE",
    message: /cannot be written: .*PAWL_DATA_DIR/,
  });
});

async function spawnHolder(): Promise<ChildProcess> {
  const program = `
    import { lockDataDirectory } from ${JSON.stringify(new URL("./lock.ts", import.meta.url).href)};
    lockDataDirectory(${JSON.stringify(directory)});
    console.log("locked");
    process.stdin.resume();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(child.stdout!, "data");
  return child;
}
