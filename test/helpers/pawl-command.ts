import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { compileCache } from "./compile-cache.ts";

const bin = fileURLToPath(new URL("../../bin/pawl.js", import.meta.url));

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface RunningCommand {
  process: ChildProcess;
  /** Resolves once a line of either stream matches; rejects when the command ends before. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  ended: Promise<Outcome>;
}

/**
 * Runs `pawl` as a person does, with nothing of this process's environment but what a shell has. `group`: as the leader
 * of a process group, which a terminal's Ctrl-C reaches as a whole.
 */
export function spawnPawl(
  args: string[],
  options: { env?: Record<string, string>; cwd?: string; input?: string; group?: boolean } = {},
): RunningCommand {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? "/",
    detached: options.group ?? false,
    env: {
      PATH: process.env.PATH ?? "",
      HOME: process.env.HOME ?? "/",
      NODE_COMPILE_CACHE: compileCache,
      ...options.env,
    },
  });
  const out = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      out[name] += text;
      for (const look of watchers) look();
    });
  }
  child.stdin.on("error", () => {});
  child.stdin.end(options.input ?? "");
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, ...out }));
  });
  function until(pattern: RegExp): Promise<RegExpMatchArray> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(out.stdout) ?? pattern.exec(out.stderr);
        if (!match) return;
        watchers.delete(look);
        resolve(match);
      };
      watchers.add(look);
      ended.then((outcome) => reject(new Error(`It ended first: ${JSON.stringify(outcome)}`)), reject);
      look();
    });
  }
  return { process: child, until, ended };
}

/** Runs it to its end. */
export function runPawl(...[args, options]: Parameters<typeof spawnPawl>): Promise<Outcome> {
  return spawnPawl(args, options).ended;
}
