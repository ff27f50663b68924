import { type ChildProcess, fork, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { CommandLine } from "./kept-pawl.ts";

const kept = fileURLToPath(new URL("kept-pawl.ts", import.meta.url));
const bin = fileURLToPath(new URL("../../bin/pawl.js", import.meta.url));

export interface Outcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

interface CommandOptions {
  env?: Record<string, string>;
  cwd?: string;
  input?: string;
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
  options: CommandOptions & { group?: boolean } = {},
): RunningCommand {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: options.cwd ?? "/",
    detached: options.group ?? false,
    env: environment(options),
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

function environment({ env }: CommandOptions): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", ...env };
}

/** Runs it to its end. */
export function runPawl(...[args, options]: Parameters<typeof spawnPawl>): Promise<Outcome> {
  return spawnPawl(args, options).ended;
}

const idle: ChildProcess[] = [];

/**
 * The same in a process that is kept for the next command, which saves a third of a second of processor each: for commands
 * that talk to a server and end by themselves. What is about the process itself (signals, pipes, a terminal) needs its own.
 */
export async function keptPawl(args: string[], options: CommandOptions = {}): Promise<Outcome> {
  const host = idle.pop() ?? fork(kept, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  host.ref();
  host.channel!.ref();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const lost = () => reject(new Error(`The process ended in the midst of: pawl ${args.join(" ")}`));
  host.once("message", resolve).once("exit", lost);
  const line: CommandLine = {
    args,
    env: environment(options),
    cwd: options.cwd ?? "/",
    input: options.input ?? "",
  };
  host.send(line);
  const outcome = await promise;
  host.off("exit", lost);
  host.unref();
  host.channel!.unref();
  idle.push(host);
  return outcome;
}
