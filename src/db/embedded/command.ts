import { spawn } from "node:child_process";
import type { Account } from "./account.ts";

export type Outcome = { code: number | null; output: string };

/** What a PostgreSQL program needs of the environment: nothing of ours, and messages in English. */
export const ENVIRONMENT = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Runs a program to its end as the account (as ourselves when there is none). Never throws. */
export function run(file: string, args: string[], account: Account | null, input = ""): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(file, args, {
      ...identity(account),
      // Our own working directory may be one that the account cannot enter.
      cwd: "/",
      env: ENVIRONMENT,
      stdio: "pipe",
    });
    let output = "";
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on("data", collect);
    child.stderr.on("data", collect);
    child.stdin.on("error", () => {});
    child.stdin.end(input);
    child.on("error", (error) => resolve({ code: null, output: error.message }));
    child.on("close", (code) => resolve({ code, output: output.trim() }));
  });
}

/** The spawn options that make a child run as the account. */
export function identity(account: Account | null): { uid?: number; gid?: number } {
  return account === null ? {} : { uid: account.uid, gid: account.gid };
}
