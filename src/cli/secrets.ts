import { readFileSync } from "node:fs";
import { parse as parseYaml } from "yaml";
import { CliError } from "./exit.ts";
import { safe } from "./text.ts";

/** A secret to be entered: what to call it, and whether it may have several lines. */
export interface WantedSecret {
  name: string;
  multiline?: boolean;
}

export interface Terminal {
  /** Standard input is a terminal, so that somebody can be asked. */
  isTerminal: boolean;
  /** All of standard input. */
  read(): string;
  /** Asks without showing what is typed. */
  ask(message: string): Promise<string>;
}

export const ownTerminal: Terminal = {
  isTerminal: process.stdin.isTTY === true,
  read: () => readFileSync(0, "utf8"),
  async ask(message) {
    // Loaded here: no other command needs it, and it takes longer to load than they do to run.
    const { password } = await import("@inquirer/prompts");
    try {
      return await password({ message, toggleMask: false }, { output: process.stderr });
    } catch (error) {
      if ((error as Error).name === "ExitPromptError") throw new CliError("usage", "Nothing was done.");
      throw error;
    }
  },
};

/**
 * Secrets come from a prompt that does not show them, or from standard input: one as the whole of it, several as an object in
 * YAML or JSON. Never from arguments, which other users of the machine can see and the shell remembers.
 */
export async function readSecrets(
  wanted: readonly WantedSecret[],
  terminal: Terminal = ownTerminal,
): Promise<Record<string, string>> {
  if (wanted.length === 0) return {};
  for (const { name } of wanted) {
    // What follows = may be the secret: it is not repeated.
    if (name.includes("=")) {
      throw new CliError(
        "usage",
        "--secret takes names only: the secret itself is asked for, or read from standard input.",
      );
    }
  }
  if (terminal.isTerminal) return prompted(wanted, terminal);
  const text = terminal.read();
  if (text.trim() === "") {
    throw new CliError(
      "usage",
      `Standard input is empty: pipe ${namesOf(wanted)} in, or run this in a terminal.`,
    );
  }
  const [only, ...others] = wanted;
  // Files and echo end with a line break that is no part of the secret.
  if (others.length === 0) return { [only!.name]: text.replace(/\r?\n$/, "") };
  return several(wanted, text);
}

async function prompted(wanted: readonly WantedSecret[], { ask }: Terminal): Promise<Record<string, string>> {
  const entered: Record<string, string> = {};
  for (const { name, multiline } of wanted) {
    if (multiline) {
      throw new CliError(
        "usage",
        `${safe(name)} may have several lines, which a prompt can't take: pipe it in with <.`,
      );
    }
    entered[name] = await ask(`${safe(name)}:`);
  }
  return entered;
}

function several(wanted: readonly WantedSecret[], text: string): Record<string, string> {
  let given: unknown;
  try {
    given = parseYaml(text);
  } catch {
    given = undefined;
  }
  const values = (typeof given === "object" && given !== null ? given : {}) as Record<string, unknown>;
  return Object.fromEntries(
    wanted.map(({ name }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (typeof value === "string") return [name, value];
      throw new CliError(
        "usage",
        `Standard input must be a YAML or JSON object with ${namesOf(wanted)}, each a text: ${safe(name)} is none.`,
      );
    }),
  );
}

function namesOf(wanted: readonly WantedSecret[]): string {
  const names = wanted.map(({ name }) => safe(name));
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
