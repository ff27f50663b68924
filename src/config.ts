import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { crossFaults } from "./config-faults.ts";
import {
  addresses,
  bytes,
  destinations,
  duration,
  host,
  integer,
  key,
  oneOf,
  path,
  port,
  text,
  url,
} from "./config-kinds.ts";
import { mcpSettings } from "./config-mcp.ts";
import { optional, type Setting, withDefault } from "./config-setting.ts";
import { didYouMean } from "./lib/did-you-mean.ts";
import { failpoints } from "./lib/failpoint.ts";

const crashPoint = new RegExp(`^(${failpoints.join("|").replaceAll(".", "\\.")}):crash(@[1-9]\\d{0,6})?$`);

/** Every variable that Pawl reads, and nothing else does. docs/configuration.md is checked against this table. */
export const settings = {
  databaseUrl: optional(
    "DATABASE_URL",
    url(["postgres:", "postgresql:"], "a URL such as postgresql://user:password@host:5432/pawl"),
    "PostgreSQL 15 or newer to keep everything in. Unset: Pawl starts its own in the data directory.",
    { masked: "password" },
  ),
  dataDir: withDefault(
    "PAWL_DATA_DIR",
    path,
    "~/.pawl",
    "Holds the embedded PostgreSQL, the admin token and the master key. One Pawl at a time uses it.",
  ),
  masterKey: optional(
    "PAWL_MASTER_KEY",
    key,
    "Seals the keys that seal secrets. Unset: the file master-key in the data directory, made at the first start.",
    { masked: "all" },
  ),
  masterKeyFile: optional(
    "PAWL_MASTER_KEY_FILE",
    path,
    "A file with the master key, instead of PAWL_MASTER_KEY.",
  ),
  masterKeyPrevious: optional(
    "PAWL_MASTER_KEY_PREVIOUS",
    key,
    "The master key until now, while another takes its place: see `pawl vault rewrap`.",
    { masked: "all" },
  ),
  masterKeyPreviousFile: optional(
    "PAWL_MASTER_KEY_PREVIOUS_FILE",
    path,
    "A file with it, instead of PAWL_MASTER_KEY_PREVIOUS.",
  ),
  host: withDefault("PAWL_HOST", host, "127.0.0.1", "Address to listen on; 0.0.0.0 for every interface."),
  port: withDefault("PAWL_PORT", port, "7295", "Port to listen on; 0 takes any free one."),
  logLevel: withDefault(
    "PAWL_LOG_LEVEL",
    oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    "info",
    "The least severe lines that are logged.",
  ),
  logFormat: withDefault(
    "PAWL_LOG_FORMAT",
    oneOf("auto", "json", "pretty"),
    "auto",
    "Shape of the log; auto is pretty on a terminal and JSON anywhere else.",
  ),
  syncWaitLimitMs: withDefault(
    "PAWL_SYNC_WAIT_LIMIT",
    duration(0, 86_400_000),
    "10m",
    "How long a start with async: false waits before it answers 202.",
  ),
  shutdownGraceMs: withDefault(
    "PAWL_SHUTDOWN_GRACE",
    duration(0, 3_600_000),
    "30s",
    "How long steps may finish at shutdown; what is left goes on at the next start.",
  ),
  egress: withDefault(
    "PAWL_EGRESS",
    oneOf("guarded", "strict"),
    "guarded",
    "Where steps may not connect: guarded refuses cloud metadata, link-local addresses and Pawl's own ports; strict refuses private networks and this machine too.",
  ),
  egressAllow: withDefault(
    "PAWL_EGRESS_ALLOW",
    destinations,
    "",
    "Hosts, *.domains, addresses and ranges of private networks that strict egress lets through.",
  ),
  maxRunning: withDefault(
    "PAWL_MAX_RUNNING",
    integer(1, 100_000),
    "1000",
    "Executions that run at one time; more wait their turn.",
  ),
  maxQueued: withDefault(
    "PAWL_MAX_QUEUED",
    integer(0, 10_000_000),
    "20000",
    "Executions accepted and not yet running; beyond it a start answers 503 OVERLOADED.",
  ),
  stepOutputLimit: withDefault(
    "PAWL_STEP_OUTPUT_LIMIT",
    bytes(1024, 64 * 1024 ** 2),
    "1MiB",
    "Largest output of a step, as JSON; a larger one fails the step.",
  ),
  fileLimit: withDefault(
    "PAWL_FILE_LIMIT",
    bytes(1024, 10 * 1024 ** 3),
    "100MiB",
    "Largest file that can be uploaded.",
  ),
  signInLimit: withDefault(
    "PAWL_SIGN_IN_LIMIT",
    integer(0, 1_000_000),
    "60",
    "Wrong credentials that one address may send in a minute before it is answered 429; 0: any number.",
  ),
  decryptLimit: withDefault(
    "PAWL_DECRYPT_LIMIT",
    integer(0, 1_000_000),
    "600",
    "How often one principal may read secrets in the clear in a minute; 0: any number. Steps of this process are not counted.",
  ),
  probeLimit: withDefault(
    "PAWL_PROBE_LIMIT",
    integer(0, 1_000_000),
    "60",
    "How often one principal may have connections tested in a minute; 0: any number.",
  ),
  configurationUrl: optional(
    "PAWL_CONFIGURATION_URL",
    url(
      ["http:", "https:"],
      "an http or https URL without user or password",
      (u) => !u.username && !u.password,
    ),
    "Another Pawl that keeps what jobs refer to, and that steps fetch it from, secrets in the clear. Unset: this one.",
  ),
  configurationToken: optional(
    "PAWL_CONFIGURATION_TOKEN",
    text(/^[\x21-\x7e]+$/, "token", "an API token, without spaces"),
    "The token for it, with ConfigService:Connection:decrypt, and ConfigService:Certificate:read and :decrypt where steps use those.",
    { masked: "all" },
  ),
  trustProxy: withDefault(
    "PAWL_TRUST_PROXY",
    addresses,
    "",
    "Proxies whose X-Forwarded-* headers are believed. Empty: nobody's.",
  ),
  publicUrl: optional(
    "PAWL_PUBLIC_URL",
    url(
      ["http:", "https:"],
      "an http or https URL without user, password, query or fragment",
      (u) => !u.username && !u.password && !u.search && !u.hash,
    ),
    "Where people reach Pawl, for links that it makes. Unset: the address that it listens on.",
  ),
  ...mcpSettings,
  url: optional(
    "PAWL_URL",
    url(
      ["http:", "https:"],
      "an http or https URL without user or password",
      (u) => !u.username && !u.password,
    ),
    "CLI: the Pawl to talk to. Unset: the one that PAWL_HOST and PAWL_PORT describe.",
  ),
  token: optional(
    "PAWL_TOKEN",
    text(/^[\x21-\x7e]+$/, "token", "an API token, without spaces"),
    "CLI: the API token to send. Unset: the admin token in PAWL_DATA_DIR, if Pawl runs on this machine.",
    { masked: "all" },
  ),
  failpoint: optional(
    "PAWL_FAILPOINT",
    text(
      crashPoint,
      "name:crash",
      `one of ${failpoints.join(", ")}, followed by :crash or :crash@<time it is reached>`,
    ),
    "Kills the process at a named point, for crash tests; refused unless NODE_ENV is test.",
  ),
} satisfies Record<string, Setting>;

type Settings = typeof settings;
type ValueOf<S> = S extends Setting<infer T, infer D> ? (D extends string ? T : T | undefined) : never;

export type Source = "default" | "environment" | ".env" | "command line";
export type Config = { [K in keyof Settings]: ValueOf<Settings[K]> } & {
  sources: Record<keyof Settings, Source>;
};

/** The configuration can't be used: `faults` has a sentence for each thing that is wrong. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: string[];
  constructor(faults: string[], options?: ErrorOptions) {
    const count = faults.length === 1 ? "a fault" : `${faults.length} faults`;
    super(`The configuration has ${count}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`, options);
    this.faults = faults;
  }
}

type Environment = Record<string, string | undefined>;

/**
 * Reads what options of the command line set, below it the environment, and below that the `.env` file (by default the
 * working directory's; null: none). An empty value counts as unset. Throws one ConfigError that lists every fault.
 */
export function loadConfig(
  env: Environment,
  options: { envFile?: string | null; commandLine?: Environment } = {},
): Config {
  const faults: string[] = [];
  const file = readEnvFile(options.envFile === undefined ? ".env" : options.envFile, faults);
  const names = Object.values(settings).map((setting) => setting.name);
  for (const [from, name] of [...namesIn(env, "environment"), ...namesIn(file, ".env")]) {
    if (!names.includes(name)) {
      faults.push(`${name} (${from}) is not a variable of Pawl.${didYouMean(name, names)}`);
    }
  }

  const values: Record<string, unknown> = {};
  const sources: Record<string, Source> = {};
  for (const [key, setting] of Object.entries<Setting>(settings)) {
    const [source, given] = firstGiven(setting.name, [
      ["command line", options.commandLine ?? {}],
      ["environment", env],
      [".env", file],
    ]);
    const chosen = given ?? setting.default;
    sources[key] = given === undefined ? "default" : source;
    try {
      values[key] = chosen === undefined ? undefined : setting.kind.parse(chosen);
    } catch (fault) {
      const value = setting.masked ? "a value that is not shown, for it may hold a secret" : `"${chosen}"`;
      faults.push(`${setting.name} must be ${(fault as Error).message}; the ${source} has ${value}.`);
    }
  }
  const config = { ...values, sources } as Config;
  faults.push(...crossFaults(config, env.NODE_ENV));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

function readEnvFile(file: string | null, faults: string[]): Environment {
  if (file === null) return {};
  try {
    return parseEnv(readFileSync(file, "utf8"));
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "ENOENT")
      faults.push(`The file ${file} can't be read (${code}): mend its rights or remove it.`);
    return {};
  }
}

function namesIn(env: Environment, from: Source): [Source, string][] {
  return Object.keys(env)
    .filter((name) => name.startsWith("PAWL_"))
    .map((name) => [from, name]);
}

function firstGiven(name: string, places: [Source, Environment][]): [Source, string | undefined] {
  for (const [source, values] of places) {
    const given = values[name]?.trim();
    if (given) return [source, given];
  }
  return ["default", undefined];
}

export interface DescribedSetting {
  name: string;
  value: string | null;
  source: Source;
  about: string;
}

/** What is in force, for people: secrets masked, and where each value comes from. */
export function describeConfig(config: Config): DescribedSetting[] {
  return Object.entries<Setting>(settings).map(([key, setting]) => {
    const value = config[key as keyof Settings];
    return {
      name: setting.name,
      value: value === undefined ? null : shown(setting, value),
      source: config.sources[key as keyof Settings],
      about: setting.about,
    };
  });
}

function shown(setting: Setting, value: unknown): string {
  if (setting.masked === "all") return "(set, not shown)";
  if (setting.masked === "password") return maskPassword(String(value));
  return setting.kind.show ? setting.kind.show(value) : String(value);
}

function maskPassword(address: string): string {
  const masked = new URL(address);
  if (masked.password) masked.password = "***";
  for (const name of masked.searchParams.keys()) {
    if (/password|secret|key/i.test(name)) masked.searchParams.set(name, "***");
  }
  return masked.href;
}
