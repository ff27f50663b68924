import { createInterface } from "node:readline/promises";
import { CliError } from "./exit.ts";

/** Asks on the terminal; refuses when there is none, or the answer is no. */
export async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CliError("usage", `${question} There is no terminal to ask on: say --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError("usage", "Nothing was done.");
}

/** A whole number of the command line, 1 to 1000. */
export function count(text: string, what: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1000) {
    throw new CliError("usage", `${what} must be a whole number from 1 to 1000, not "${text}".`);
  }
  return value;
}
