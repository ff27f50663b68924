import { type ChildProcess, fork } from "node:child_process";
import { writeFile } from "node:fs";
import { createRequire } from "node:module";
import type { Socket } from "node:net";
import { sep } from "node:path";
import { fileURLToPath } from "node:url";

const HEAP_MB = 192;
const STDERR_CHARS = 2_000;

/** A sandbox process: ready when it said so, and silent about its own end except for `stderr`. */
export interface SandboxProcess {
  child: ChildProcess;
  /** The end of what it wrote there: the reason when it could not even start. */
  stderr(): string;
}

/**
 * Starts one. A worker thread was tried and turned down: one allocation past its heap limit ([1..9999999] in JSONata) ends
 * the whole process, not the thread. The flags are a second fence behind the interpreters: no files to write, no processes,
 * no code from strings, prototypes that can't be changed for the next run, and an empty environment.
 */
export function startSandboxProcess(): SandboxProcess {
  const child = fork(fileURLToPath(new URL("./child.ts", import.meta.url)), {
    execArgv: [
      "--permission",
      ...readable().map((folder) => `--allow-fs-read=${folder}`),
      "--allow-worker",
      "--disable-proto=delete",
      "--disallow-code-generation-from-strings",
      "--frozen-intrinsics",
      `--max-old-space-size=${HEAP_MB}`,
      "--disable-warning=ExperimentalWarning",
    ],
    env: {},
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "json",
  });
  let stderr = "";
  child.stderr!.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARS);
  });
  preferForOutOfMemory(child.pid);
  setHolding(child, false);
  return { child, stderr: () => stderr };
}

/** Whether this child keeps our own process alive: only while somebody waits for it. */
export function setHolding(child: ChildProcess, holds: boolean): void {
  const pipe = child.stderr as Socket | null;
  if (holds) {
    child.ref();
    child.channel?.ref();
  } else {
    child.unref();
    child.channel?.unref();
    pipe?.unref();
  }
}

/** When memory runs out, the kernel is to take a sandbox and not the server. */
function preferForOutOfMemory(pid: number | undefined): void {
  if (process.platform === "linux" && pid) writeFile(`/proc/${pid}/oom_score_adj`, "1000", () => {});
}

/** This package, and where its libraries are. */
function readable(): string[] {
  const require = createRequire(import.meta.url);
  const libraries = ["jsonata", "quickjs-emscripten"].map((name) => {
    const path = require.resolve(name);
    const at = path.lastIndexOf(`${sep}node_modules${sep}`);
    return path.slice(0, at + `${sep}node_modules${sep}`.length);
  });
  return [...new Set([fileURLToPath(new URL("../../../", import.meta.url)), ...libraries])];
}
