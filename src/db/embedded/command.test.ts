import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

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

test("a Ctrl-C at any moment does not end what is being run", async (t) => {
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
  // No longer: on a busy machine one may reach every program before it is one, for as long as they come without a pause.
  const until = performance.now() + 2_000;
  while (child.exitCode === null && child.signalCode === null && performance.now() < until) {
    process.kill(-child.pid!, "SIGINT");
    await new Promise(setImmediate);
  }
  await ended;
  assert.deepEqual(codes, Array(40).fill(0));
});
