import type { Command } from "commander";
import { ClientError } from "../client/error.ts";
import type { Variable, VariableInput, VariableItem } from "../contract/variable.ts";
import { count } from "./ask.ts";
import { CliError } from "./exit.ts";
import { addNamedDelete, type Noun } from "./named.ts";
import { pawl } from "./own-name.ts";
import { readSecrets } from "./secrets.ts";
import { openSession, type Session } from "./session.ts";
import { localTime, oneLine, paint, safe, table } from "./text.ts";

const variables: Noun<VariableItem> = {
  command: "var",
  word: "global variable",
  search: ({ client }, body) => client.searchVariables({ body }),
  remove: ({ client }, id, force) => client.deleteVariable({ params: { id }, query: { force } }),
};

interface SetOptions {
  secret?: boolean;
  parse?: boolean;
  description?: string;
}

export function addVar(program: Command): void {
  const group = program.command("var").description("values that expressions of all jobs share: vars.NAME");
  addSet(group);
  addList(group);
  addShow(group);
  addNamedDelete(
    group,
    variables,
    "delete a global variable; with --force steps that need it fail from then on",
  );
}

function addSet(group: Command): void {
  group
    .command("set")
    .argument("<name>", "letters, digits and _; expressions say vars.<name>")
    .argument("[value]", "left out: read from standard input; never for a secret")
    .option("--secret", "seal it, and never show it again; it is asked for, or read from standard input")
    .option("--no-secret", "make a secret plain; its value must be given again")
    .option("--parse", "the value is JSON: a number, true, a list, an object; else it is a text")
    .option("--description <text>", "what it is for")
    .description("make a global variable, or change it")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl var set region eu-central-1
  $ pawl var set limits --parse '{"rows": 500, "strict": true}'
  $ pawl var set api_key --secret                    asks, and does not show what you type
  $ pass show shop/api | pawl var set api_key --secret`,
    )
    .action(async (name: string, value: string | undefined, options: SetOptions, command: Command) => {
      const session = openSession(command);
      const current = await find(session, name);
      const secret = options.secret ?? current?.secret ?? false;
      const body: VariableInput = {
        name,
        description: options.description ?? current?.description ?? "",
        ...(options.secret === undefined ? {} : { secret: options.secret }),
        value: await readValue(name, value, secret, options),
      };
      const { data, message } = await session.client.upsertVariable({ body });
      session.result(data, () => `${safe(message)} ${paint("bold", data.name)}${secret ? " (sealed)" : ""}`);
    });
}

async function readValue(
  name: string,
  value: string | undefined,
  secret: boolean,
  { parse }: SetOptions,
): Promise<unknown> {
  if (secret) {
    if (value !== undefined || parse) {
      throw new CliError(
        "usage",
        `${safe(name)} is a secret: it is a text that is asked for, or read from standard input, and no argument, which others can see.`,
      );
    }
    return (await readSecrets([{ name }]))[name];
  }
  if (value === undefined && process.stdin.isTTY) {
    throw new CliError("usage", "Give a value, or pipe one in.", {
      hint: `\`${pawl} var set --help\` has examples.`,
    });
  }
  const text = value ?? (await readSecrets([{ name }]))[name]!;
  if (!parse) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new CliError("usage", `The value is not JSON. A text needs no --parse, or quotes of its own.`);
  }
}

async function find({ client }: Session, name: string): Promise<Variable | undefined> {
  try {
    return (await client.getVariableByName({ params: { name } })).data;
  } catch (error) {
    // A name that no variable can have is refused when it is saved, with what is wrong with it. Who may set it need not be allowed to read it.
    if (error instanceof ClientError && ["NOT_FOUND", "VALIDATION_FAILED", "FORBIDDEN"].includes(error.code))
      return undefined;
    throw error;
  }
}

function addList(group: Command): void {
  group
    .command("list")
    .description("list global variables, by name")
    .option("--search <text>", "only those with these words in name or description")
    .option("--limit <count>", "at most so many", "100")
    .action(async ({ search, limit }: { search?: string; limit: string }, command: Command) => {
      const session = openSession(command);
      const { data, meta, message } = await session.client.searchVariables({
        body: {
          size: count(limit, "--limit"),
          sortBy: "name",
          sortOrder: "asc",
          searchText: search ?? null,
        },
      });
      session.result(data, () =>
        data.length === 0
          ? safe(message)
          : table(
              ["NAME", "", "UPDATED", "DESCRIPTION"],
              data.map((one) => [
                one.name,
                one.secret ? paint("yellow", "secret") : "",
                localTime(one.updatedAt),
                oneLine(one.description, 80),
              ]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<name>")
    .description("print the value of a global variable; a secret is not shown")
    .action(async (name: string, _options, command: Command) => {
      const session = openSession(command);
      const { data } = await session.client.getVariableByName({ params: { name } });
      session.result(data, () => {
        if (data.secret) return "(sealed)";
        return typeof data.value === "string" ? safe(data.value) : JSON.stringify(data.value, null, 2);
      });
    });
}
