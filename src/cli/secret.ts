import { createInterface } from "node:readline";
import { CliError } from "./exit.ts";

/**
 * Reads secrets, in this order: without an echo where there is a terminal, else a line each of standard input. Never of the command
 * line, which other users of the machine can see.
 */
export async function readSecrets(names: readonly string[]): Promise<string[]> {
  return names.length === 0 ? [] : process.stdin.isTTY ? asked(names) : lines(names);
}

async function asked(names: readonly string[]): Promise<string[]> {
  // It takes a while to load, and most commands ask nothing.
  const { password } = await import("@inquirer/prompts");
  const found: string[] = [];
  for (const name of names) {
    const validate = (text: string) => text !== "" || "It must not be empty.";
    found.push(await password({ message: `${name}:`, mask: "*", validate }, { output: process.stderr }));
  }
  return found;
}

async function lines(names: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const input = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of input) {
    found.push(line);
    if (found.length === names.length) break;
  }
  const missing = names.filter((_, i) => !found[i]);
  if (missing.length > 0) {
    const which = missing.join(", ");
    throw new CliError(
      "usage",
      `There is no ${which} on standard input: a line each, in this order: ${names.join(", ")}.`,
    );
  }
  return found;
}
