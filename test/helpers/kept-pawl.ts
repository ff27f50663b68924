import { closeSync, createReadStream, openSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommandLine } from "../../src/cli/program.ts";
import { scratchRoot } from "./scratch.ts";

// A process that runs `pawl` commands one after another, for pawl-command.ts: its modules are loaded once.

export interface CommandLine {
  args: string[];
  env: Record<string, string>;
  cwd: string;
  input: string;
}

process.on("message", async ({ args, env, cwd, input }: CommandLine) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.exitCode = undefined;
  takeInput(input);
  const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      said[name].push(Buffer.from(chunk as string));
      const done = rest.at(-1);
      if (typeof done === "function") done();
      return true;
    };
  }
  const code = await runCommandLine(args);
  const text = (name: "stdout" | "stderr") => Buffer.concat(said[name]).toString();
  process.send!({ code, signal: null, stdout: text("stdout"), stderr: text("stderr") });
});
process.once("disconnect", () => process.exit());

/** Commands read standard input as a stream or as file 0, which is the number of the next file that is opened. */
function takeInput(input: string): void {
  const file = join(scratchRoot(), `pawl-input-${process.pid}`);
  writeFileSync(file, input);
  closeSync(0);
  openSync(file, "r");
  rmSync(file);
  const value = createReadStream("", { fd: 0, autoClose: false });
  Object.defineProperty(process, "stdin", { configurable: true, value });
}
