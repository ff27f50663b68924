import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { createSandbox, type Sandbox } from "./pool.ts";
import type { SandboxTask } from "./protocol.ts";

const limit = { timeLimitMs: 20_000 };
const quick: SandboxTask = { kind: "transform", data: "1", expression: "$ + 1" };
const endless: SandboxTask = {
  kind: "script",
  source: "console.log('begun'); while (true);",
  globals: {},
  memoryLimitMb: 16,
  timeLimitMs: 60_000,
};

function sandbox(max: number): Sandbox & AsyncDisposable {
  const pool = createSandbox({ max });
  return { ...pool, [Symbol.asyncDispose]: pool.close };
}

test("runs many tasks on few processes, in any order of their ends", async () => {
  await using pool = sandbox(2);
  const tasks = Array.from(
    { length: 50 },
    (_, i): SandboxTask => ({ ...quick, data: String(i) }) as SandboxTask,
  );
  const outcomes = await Promise.all(tasks.map((task) => pool.run(task, limit)));
  assert.deepEqual(
    outcomes,
    tasks.map((_, i) => ({ json: String(i + 1) })),
  );
});

test("takes back a task that is stopped while it waits, and leaves the running one alone", async () => {
  await using pool = sandbox(1);
  const begun = Promise.withResolvers<void>();
  const [stopFirst, stopSecond] = [new AbortController(), new AbortController()];
  const first = pool.run(endless, { ...limit, signal: stopFirst.signal, onLine: () => begun.resolve() });
  const second = pool.run(quick, { ...limit, signal: stopSecond.signal });
  const third = pool.run(quick, limit);
  await begun.promise;
  stopSecond.abort(new Error("second"));
  await assert.rejects(second, { message: "second" });
  stopFirst.abort(new Error("first"));
  await assert.rejects(first, { message: "first" });
  assert.deepEqual(await third, { json: "2" });
  await assert.rejects(pool.run(quick, { ...limit, signal: AbortSignal.abort(new Error("early")) }), {
    message: "early",
  });
});

test("ends what runs and what waits when it is closed, and takes nothing more", async () => {
  const pool = createSandbox({ max: 1 });
  const begun = Promise.withResolvers<void>();
  const running = pool.run(endless, { ...limit, onLine: () => begun.resolve() });
  const waiting = pool.run(quick, limit);
  await begun.promise;
  const unavailable = { code: "SANDBOX_UNAVAILABLE", retryable: true };
  const refusals = Promise.all([assert.rejects(running, unavailable), assert.rejects(waiting, unavailable)]);
  await pool.close();
  await refusals;
  await assert.rejects(pool.run(quick, limit), unavailable);
});

test("closes at once when it was never used", async () => {
  await createSandbox().close();
});

/** A program that uses a sandbox, as a process of its own. */
function program(code: string) {
  const pool = JSON.stringify(new URL("./pool.ts", import.meta.url).href);
  const text = `import { createSandbox } from ${pool}; const pool = createSandbox({ max: 1 }); ${code}`;
  return spawn(process.execPath, ["--input-type=module", "--eval", text], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
}

test("does not keep a process alive that has nothing else to do", async () => {
  const child = program(`await pool.run(${JSON.stringify(quick)}, { timeLimitMs: 20000 });`);
  const [code] = await once(child, "exit");
  assert.equal(code, 0);
});

test("leaves no runaway process behind when the server is killed", {
  skip: process.platform !== "linux",
}, async () => {
  const child = program(`
    const pidOf = async () => (await import("node:fs")).readFileSync("/proc/self/task/" + process.pid + "/children", "utf8");
    pool.run(${JSON.stringify(endless)}, { timeLimitMs: 60000, onLine: async () => console.log((await pidOf()).trim()) });`);
  const [data] = await once(child.stdout!, "data");
  const pid = String(data).trim();
  assert.match(await readFile(`/proc/${pid}/cmdline`, "utf8"), /sandbox/);
  child.kill("SIGKILL");
  await once(child, "exit");
  // Polled: the end of a process that is not our child sends no signal. A leak is a time-out of this test.
  while (await isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 50));
});

test("gives its processes no environment, and no way to write, to start others or to make code from text", async () => {
  const child = program(`
    process.env.PAWL_SECRET = "s";
    await pool.run(${JSON.stringify(quick)}, { timeLimitMs: 20000 });
    const { readFileSync } = await import("node:fs");
    const pid = readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim();
    console.log(JSON.stringify([readFileSync("/proc/" + pid + "/environ", "utf8"), readFileSync("/proc/" + pid + "/cmdline", "utf8")]));`);
  const [data] = await once(child.stdout!, "data");
  const [environment, command] = JSON.parse(String(data));
  assert.doesNotMatch(environment, /SECRET|PATH|HOME/);
  for (const flag of ["--permission", "--disable-proto=delete", "--disallow-code-generation-from-strings"]) {
    assert.ok(command.split("\0").includes(flag), flag);
  }
  assert.doesNotMatch(command, /--allow-fs-write|--allow-child-process|--allow-addons/);
});

async function isAlive(pid: string): Promise<boolean> {
  return access(`/proc/${pid}/exe`).then(
    () => true,
    () => false,
  );
}
