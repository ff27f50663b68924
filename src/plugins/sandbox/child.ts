// The program of a sandbox process: user code runs here and nowhere else. See pool.ts for what holds it in.
import { Worker } from "node:worker_threads";
import { checkScript, runScript } from "../script/sandboxed.ts";
import { checkTransform, runTransform } from "../transform/sandboxed.ts";
import type { SandboxOutcome, SandboxReply, SandboxTask } from "./protocol.ts";

const RETIRE_RSS_BYTES = 384 * 1024 * 1024;

// When the server is killed nobody is left to end a runaway expression, and this thread would be too busy to notice.
new Worker(new URL("./watchdog.ts", import.meta.url), { workerData: process.ppid }).unref();

process.on("disconnect", () => process.exit());
process.on("message", async (task: SandboxTask) => {
  const outcome = await perform(task);
  reply({ type: "done", outcome, retire: process.memoryUsage.rss() > RETIRE_RSS_BYTES });
});
reply({ type: "ready" });

async function perform(task: SandboxTask): Promise<SandboxOutcome> {
  switch (task.kind) {
    case "transform":
      return runTransform(task);
    case "transform.check":
      return checkTransform(task);
    case "script":
      return runScript(task, (level, message) => reply({ type: "line", level, message }));
    case "script.check":
      return checkScript(task);
  }
}

function reply(message: SandboxReply): void {
  process.send!(message);
}
