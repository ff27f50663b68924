import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";

const commandModule = new URL("./command.ts", import.meta.url);

const runner = `
  const { run } = await import(${JSON.stringify(commandModule.href)});
  process.on("SIGINT", () => {});
  process.send("ready");
  const codes = [];
  for (let i = 0; i < 40; i++) codes.push((await run("/bin/true", [], null)).code);
  process.send(codes);
  process.disconnect();
`;

test("a Ctrl-C at any moment does not end what is being run", { timeout: 60_000 }, async (t) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", runner], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child, "message");
  let codes: (number | null)[] | undefined;
  child.once("message", (sent) => {
    codes = sent as (number | null)[];
  });
  const ended = once(child, "exit");
  // For so long only: on a busy machine one may reach every program before it is one. And not without a pause: thousands at once
  // would fill the pipe that Node's own signals come by, and with them the end of a program would be lost.
  const until = performance.now() + 2_000;
  while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
    process.kill(-child.pid!, "SIGINT");
    await delay(1);
  }
  await ended;
  assert.deepEqual(codes, Array(40).fill(0));
});
