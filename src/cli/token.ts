import { hostname } from "node:os";
import { type Command, Option } from "commander";
import { authorities, covers } from "../contract/authorities.ts";
import { type McpScope, mcpScopes } from "../contract/bridge.ts";
import type { JobLimits, PrincipalRecord, TokenRecord } from "../contract/identity.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { findJob } from "./find-job.ts";
import { pawl } from "./own-name.ts";
import { findPrincipal, listPrincipals } from "./principal.ts";
import { addResetAdmin } from "./reset-admin.ts";
import { openSession, type Session } from "./session.ts";
import { localTime, safe, table } from "./text.ts";

interface CreateOptions {
  principal?: string;
  name: string;
  authority?: string[];
  job?: string[];
  tag?: string[];
  service?: boolean;
  for: "api" | "mcp";
  scope?: string[];
  expiresIn?: number;
}

export function addToken(program: Command): void {
  const group = program.command("token").description("create, list, revoke and recover API tokens");

  group
    .command("create")
    .description("create a token, and its principal if that is new")
    .option("--principal <name>", "whose token it is; your own when left out")
    .option("--name <name>", "what to call the token", `cli@${hostname()}`)
    .option("--authority <authority>", "what a new principal may do; repeat for more", collect)
    .option("--job <job>", "limit a new principal to this job (name or id); repeat for more", collect)
    .option("--tag <tag>", "limit a new principal to jobs with this tag; repeat for more", collect)
    .option("--service", "the new principal is a program, not a person")
    .addOption(
      new Option("--for <what>", "mcp: for an AI assistant, at /mcp only")
        .choices(["api", "mcp"])
        .default("api"),
    )
    .option("--scope <scope>", `of a token for mcp: ${mcpScopes.join(", ")}; repeat for more`, collect)
    .option("--expires-in <days>", "days until the token expires; never when left out", wholeDays)
    .addHelpText(
      "after",
      `
The token is printed once, alone on standard output. Pawl keeps only its hash: what is lost is made anew.
Nobody grants more than they hold.

Examples:
  $ pawl token create
  $ pawl token create --principal ci --service --authority 'JobService:Job:execute' \\
      --authority 'JobService:*:read' --tag nightly --expires-in 90
  $ pawl token create --for mcp --scope jobs:read --scope jobs:run --principal ana
  $ export PAWL_TOKEN=$(pawl token create --principal ana --authority 'JobService:*:*')

Authorities (any part may be *):
${authorities.map((authority) => `  ${authority}`).join("\n")}`,
    )
    .action(async (options: CreateOptions, command: Command) => {
      const session = openSession(command);
      requireScopes(options);
      const principalId = await whose(session, options);
      const { data } = await session.client.createToken({
        body: {
          principalId,
          name: options.name,
          for: options.for,
          ...(options.scope === undefined ? {} : { scopes: scopesOf(options.scope) }),
          ...(options.expiresIn === undefined ? {} : { expiresInDays: options.expiresIn }),
        },
      });
      session.note(
        `Token "${safe(data.name)}" of ${safe(data.principalName)}${data.expiresAt ? `, until ${localTime(data.expiresAt)}` : ""}. It is shown this once:`,
      );
      session.result(data, () => data.token);
    });

  group
    .command("list")
    .description("list the tokens, newest first")
    .option("--all", "revoked and expired ones too")
    .action(async (options: { all?: boolean }, command: Command) => {
      const session = openSession(command);
      const tokens = (await listTokens(session)).filter((token) => options.all || stateOf(token) === "valid");
      session.result(tokens, () =>
        table(
          ["NAME", "PREFIX", "PRINCIPAL", "FOR", "CREATED", "LAST USED", "EXPIRES", "STATE", "ID"],
          tokens.map((token) => [
            safe(token.name),
            safe(token.prefix),
            safe(token.principalName),
            token.scopes ? `mcp (${token.scopes.join(", ")})` : "api",
            localTime(token.createdAt),
            token.lastUsedAt ? localTime(token.lastUsedAt) : "never",
            token.expiresAt ? localTime(token.expiresAt) : "never",
            stateOf(token),
            token.id,
          ]),
        ),
      );
    });

  group
    .command("revoke")
    .argument("<token>", "id or prefix, as `pawl token list` shows them")
    .description("revoke a token: it is refused from then on")
    .action(async (idOrPrefix: string, _options, command: Command) => {
      const session = openSession(command);
      const tokens = await listTokens(session);
      const hits = tokens.filter((token) => token.id === idOrPrefix || token.prefix === idOrPrefix);
      if (hits.length !== 1) {
        const problem = hits.length === 0 ? "No token has" : "Several tokens have";
        throw new CliError("refused", `${problem} the id or prefix "${idOrPrefix}".`, {
          hint: `\`${pawl} token list\` shows them; use the id.`,
        });
      }
      const { data, message } = await session.client.revokeToken({ params: { id: hits[0]!.id } });
      session.result(data, () => safe(message));
    });

  addResetAdmin(group);
}

/** For an option that may be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value];
}

/** Before anything is made: a principal that is new would be there already. */
function requireScopes({ for: what, scope }: CreateOptions): void {
  if (what === "mcp" && scope === undefined) {
    throw new CliError("usage", "Say with --scope what an assistant with this token may do.", {
      hint: `There are ${mcpScopes.join(", ")}. Each gives at most what the principal may do anyway.`,
    });
  }
  if (what === "api" && scope !== undefined) {
    throw new CliError("usage", "--scope is for tokens for MCP: add --for mcp.");
  }
}

/** @throws CliError for what is no scope */
export function scopesOf(given: string[]): McpScope[] {
  const wrong = given.find((scope) => !mcpScopes.includes(scope as McpScope));
  if (wrong === undefined) return given as McpScope[];
  throw new CliError("usage", `"${wrong}" is not a scope.${didYouMean(wrong, mcpScopes)}`, {
    hint: `There are ${mcpScopes.join(", ")}.`,
  });
}

function wholeDays(value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) {
    throw new CliError("usage", `--expires-in takes a whole number of days, not "${value}".`);
  }
  return Number(value);
}

/** The id of the token's principal, made if it is new. */
async function whose(session: Session, options: CreateOptions): Promise<string> {
  const forNew = options.authority || options.job || options.tag || options.service;
  if (options.principal === undefined) {
    if (forNew) {
      throw new CliError("usage", "Say with --principal NAME whose authorities and limits these are.");
    }
    return (await session.client.whoAmI()).data.id;
  }
  if (!forNew) return (await findPrincipal(session.client, options.principal)).id;
  const all = await listPrincipals(session.client);
  if (all.some((one) => one.name === options.principal)) {
    throw new CliError(
      "usage",
      `The principal "${options.principal}" is there already, with authorities of its own.`,
      {
        hint: `Leave out --authority, --job, --tag and --service for one more token of it, or see \`${pawl} principal show ${options.principal}\`.`,
      },
    );
  }
  const made = await createPrincipal(session, options.principal, options);
  session.note(
    `Principal "${safe(made.name)}" is made; it may: ${safe(made.authorities.join(", ")) || "nothing yet"}.`,
  );
  return made.id;
}

async function createPrincipal(
  session: Session,
  name: string,
  options: CreateOptions,
): Promise<PrincipalRecord> {
  requireKnown(options.authority ?? []);
  const ids = await Promise.all(
    (options.job ?? []).map(async (job) => (await findJob(session.client, job)).id),
  );
  const limits: JobLimits = {
    ...(ids.length > 0 ? { ids } : {}),
    ...(options.tag ? { tags: options.tag } : {}),
  };
  const { data } = await session.client.createPrincipal({
    body: {
      name,
      kind: options.service ? "service" : "user",
      authorities: options.authority ?? [],
      ...(Object.keys(limits).length > 0 ? { jobs: limits } : {}),
    },
  });
  return data;
}

/** Pawl takes any authority of the right form, for later versions know more; a slip would grant nothing, silently. */
function requireKnown(grants: string[]): void {
  const idle = grants.filter((grant) => !authorities.some((authority) => covers(grant, authority)));
  if (idle.length === 0) return;
  const details = idle.map((grant) => `"${grant}" covers nothing.${didYouMean(grant, authorities)}`);
  throw new CliError("usage", "An authority is not one that Pawl knows.", {
    details,
    hint: `\`${pawl} token create --help\` lists them.`,
  });
}

async function listTokens({ client }: Session): Promise<TokenRecord[]> {
  const all: TokenRecord[] = [];
  for (let page = 0; ; page++) {
    const { data, meta } = await client.listTokens({ query: { page, size: 1000 } });
    all.push(...data);
    if (data.length === 0 || all.length >= meta.totalElements) return all;
  }
}

function stateOf(token: TokenRecord): string {
  if (token.revokedAt) return "revoked";
  return token.expiresAt && Date.parse(token.expiresAt) < Date.now() ? "expired" : "valid";
}
