import type { Command } from "commander";
import { parse as parseYaml } from "yaml";
import type { Client } from "../client/client.ts";
import { ClientError } from "../client/error.ts";
import type { Connection, ConnectionInput, ConnectionTypeInfo } from "../contract/connection.ts";
import { placed, readSource } from "./apply.ts";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { ownTerminal, readSecrets } from "./secrets.ts";
import { openSession } from "./session.ts";
import { paint, safe } from "./text.ts";

/** What `show --json` says of a connection and no one may set. */
const ofTheServer = ["version", "createdAt", "createdBy", "updatedAt", "updatedBy"];

export function addConnectionApply(group: Command): void {
  group
    .command("apply")
    .argument("<file>", "YAML or JSON file; - reads standard input")
    .option("--secret <variable...>", "secrets to enter: at a prompt, or from standard input")
    .description("create a connection from a file, or change the one of its name and type")
    .addHelpText(
      "after",
      `
The file says everything but the secrets, which stay as they are unless they are entered:

  name: orders-db
  connectionType: database-relational2     # \`${pawl} connection types\` lists them and their variables
  description: The shop's orders
  variables:
    host: db.example.com
    port: 5432
    database: orders
    username: app

One secret is the whole of standard input, several are a YAML or JSON object in it. Secrets are no arguments: others on the machine
see those, and the shell remembers them. When the host, the port or another part of the destination changes, they must be entered again.

Examples:
  $ pawl connection apply orders-db.yaml --secret password             asks, and does not show what you type
  $ pass show db/orders | pawl connection apply orders-db.yaml --secret password
  $ pawl connection apply sftp.yaml --secret privateKey < ~/.ssh/id_ed25519
  $ sops --decrypt orders-db.enc.yaml | pawl connection apply -        a file that holds them itself
  $ pawl connection apply orders-db.yaml                               the secrets stay`,
    )
    .action(async (file: string, { secret = [] }: { secret?: string[] }, command: Command) => {
      const session = openSession(command);
      if (file === "-" && secret.length > 0) {
        throw new CliError(
          "usage",
          "Standard input can't be the file and the secrets too: name the file, or write the secrets into what you pipe in.",
        );
      }
      const content = readSource(file);
      const input = readInput(content, file);
      const { data: types } = await session.client.listConnectionTypes();
      const type = types.find(({ connectionType }) => connectionType === input.connectionType);
      const secrets = await readSecrets(secret.map((name) => ({ name, multiline: isMultiline(type, name) })));
      const { connection, message } = await saveConnection(session.client, input, secrets, type).catch(
        (error: unknown) => {
          throw error instanceof ClientError ? explained(error, placed(error, file, content), type) : error;
        },
      );
      session.result(
        connection,
        () => `${safe(message)} ${paint("bold", safe(connection.name))} ${connection.id}`,
      );
    });
}

/** Saves it; secrets that are all that is missing are asked for, where somebody is there to be asked. */
export async function saveConnection(
  client: Client,
  input: ConnectionInput,
  secrets: Record<string, string>,
  type: ConnectionTypeInfo | undefined,
  terminal = ownTerminal,
): Promise<{ connection: Connection; message: string }> {
  const send = async (more: Record<string, string>) => {
    const body = { ...input, variables: { ...input.variables, ...secrets, ...more } };
    const { data, message } = await client.upsertConnection({ body });
    return { connection: data, message };
  };
  try {
    return await send({});
  } catch (error) {
    const missing = error instanceof ClientError ? missingSecrets(error, type) : [];
    if (missing.length === 0 || !terminal.isTerminal) throw error;
    const wanted = missing.map((name) => ({ name, multiline: isMultiline(type, name) }));
    return send(await readSecrets(wanted, terminal));
  }
}

function isMultiline(type: ConnectionTypeInfo | undefined, name: string): boolean {
  return type?.fields.some((field) => field.name === name && field.kind === "multiline") ?? false;
}

/** The secrets that are all that is missing. */
function missingSecrets(error: ClientError, type: ConnectionTypeInfo | undefined): string[] {
  const names = error.details.map(({ path }) => /^\/variables\/([^/]+)$/.exec(path)?.[1] ?? "");
  if (error.code === "SECRET_REENTRY_REQUIRED") return names;
  const sensitive = (name: string) => type?.fields.some((field) => field.name === name && field.sensitive);
  const all =
    error.code === "VALIDATION_FAILED" && error.details.every(({ message }) => message === "is required.");
  return all && names.every(sensitive) ? names : [];
}

/** What to type next, when secrets are what is missing. */
function explained(error: ClientError, shown: ClientError, type: ConnectionTypeInfo | undefined): Error {
  const missing = missingSecrets(error, type);
  if (missing.length === 0) return shown;
  return new CliError("refused", shown.message, {
    details: shown.details.map(({ path, message }) => `${path}: ${message}`),
    hint: `Enter them: --secret ${missing.join(" ")} (at a prompt, or from standard input).`,
  });
}

function readInput(content: string, file: string): ConnectionInput {
  const name = file === "-" ? "Standard input" : file;
  let parsed: unknown;
  try {
    parsed = parseYaml(content);
  } catch (cause) {
    // The parser quotes the line that it stopped at, and that may be a secret.
    const line = (cause as { linePos?: [{ line: number }] }).linePos?.[0].line;
    throw new CliError(
      "usage",
      `${name} is not YAML or JSON${line === undefined ? "" : `: see line ${line}`}.`,
    );
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new CliError("usage", `${name} must be one object with name, connectionType and variables.`);
  }
  const given = Object.fromEntries(Object.entries(parsed).filter(([key]) => !ofTheServer.includes(key)));
  return {
    ...given,
    ...("variables" in given ? { variables: asTexts(given.variables) } : {}),
  } as ConnectionInput;
}

/** Variables are texts: `port: 5432` means one, and so does an object of headers. What else it is, the server refuses. */
function asTexts(variables: unknown): unknown {
  if (typeof variables !== "object" || variables === null || Array.isArray(variables)) return variables;
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => {
      if (typeof value === "number" || typeof value === "boolean") return [name, String(value)];
      return [name, typeof value === "object" && value !== null ? JSON.stringify(value) : value];
    }),
  );
}
