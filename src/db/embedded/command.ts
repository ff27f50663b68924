import { spawn } from "node:child_process";
import type { Account } from "./account.ts";

export type Outcome = { code: number | null; output: string };

/** What a PostgreSQL program needs of the environment: nothing of ours, and messages in English. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/**
 * Runs a program to its end as the account (as ourselves when there is none). Never throws. It ends with our process,
 * and at a signal to us only then: Ctrl-C in a terminal would cut initdb short while we still wait for it.
 */
export async function run(
  file: string,
  args: string[],
  account: Account | null,
  input = "",
): Promise<Outcome> {
  for (;;) {
    const { signal, ...outcome } = await runOnce(file, args, account, input);
    // A Ctrl-C between the fork and the session of its own still reached it, before it became the program.
    if (signal !== "SIGINT" || outcome.output !== "") return outcome;
  }
}

type Ended = Outcome & { signal: NodeJS.Signals | null };

function runOnce(file: string, args: string[], account: Account | null, input: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      ...identity(account),
      // Our own working directory may be one that the account cannot enter.
      cwd: "/",
      env: ENVIRONMENT,
      detached: true,
      stdio: "pipe",
    });
    const onExit = () => {
      try {
        // The group: initdb has children of its own.
        if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
      } catch {
        // It has ended already.
      }
    };
    process.once("exit", onExit);
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    const end = (outcome: Ended) => {
      process.off("exit", onExit);
      resolve(outcome);
    };
    child.on("error", (error) => end({ code: null, signal: null, output: error.message }));
    child.on("close", (code, signal) => end({ code, signal, output: output.trim() }));
  });
}

/** The spawn options that make a child run as the account. */
export function identity(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}
