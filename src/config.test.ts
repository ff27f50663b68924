import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Config, ConfigError, describeConfig, loadConfig, settings } from "./config.ts";
import type { Setting } from "./config-setting.ts";

function load(env: Record<string, string>): Config {
  return loadConfig(env, { envFile: null });
}

function faultsOf(env: Record<string, string>, envFile: string | null = null): string[] {
  try {
    loadConfig(env, { envFile });
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  assert.fail("the configuration was taken");
}

describe("the configuration", () => {
  it("has a default for everything that needs one", () => {
    const config = load({});
    assert.equal(config.databaseUrl, undefined);
    assert.equal(config.dataDir, join(homedir(), ".pawl"));
    assert.equal(config.port, 7295);
    assert.equal(config.syncWaitLimitMs, 600_000);
    assert.equal(config.shutdownGraceMs, 30_000);
    assert.equal(config.stepOutputLimit, 1024 * 1024);
    assert.deepEqual(config.egressAllow, []);
    assert.ok(Object.values(config.sources).every((source) => source === "default"));
  });

  it("reads every type in each of its forms", () => {
    const taken: [string, string, keyof Config, unknown][] = [
      ["PAWL_PORT", "0", "port", 0],
      ["PAWL_PORT", "65535", "port", 65535],
      ["PAWL_SYNC_WAIT_LIMIT", "500ms", "syncWaitLimitMs", 500],
      ["PAWL_SYNC_WAIT_LIMIT", "1500", "syncWaitLimitMs", 1500],
      ["PAWL_SYNC_WAIT_LIMIT", "2 h", "syncWaitLimitMs", 7_200_000],
      ["PAWL_STEP_OUTPUT_LIMIT", "64KiB", "stepOutputLimit", 65536],
      ["PAWL_STEP_OUTPUT_LIMIT", "2000", "stepOutputLimit", 2000],
      ["PAWL_LOG_LEVEL", "debug", "logLevel", "debug"],
      ["PAWL_HOST", "::1", "host", "::1"],
      ["PAWL_HOST", "pawl.example.com", "host", "pawl.example.com"],
      ["PAWL_DATA_DIR", "~/there", "dataDir", join(homedir(), "there")],
      ["PAWL_DATA_DIR", "there", "dataDir", join(process.cwd(), "there")],
      ["PAWL_TRUST_PROXY", "10.0.0.1, 192.168.0.0/16,", "trustProxy", ["10.0.0.1", "192.168.0.0/16"]],
      ["PAWL_MAX_QUEUED", "0", "maxQueued", 0],
      ["PAWL_URL", "https://pawl.example.com/base", "url", "https://pawl.example.com/base"],
      ["DATABASE_URL", "postgresql:///pawl?host=/run/pg", "databaseUrl", "postgresql:///pawl?host=/run/pg"],
      ["PAWL_PORT", "  8080 ", "port", 8080],
      ["PAWL_PORT", "", "port", 7295],
      ["PAWL_PORT", "  ", "port", 7295],
    ];
    for (const [name, text, key, value] of taken) {
      assert.deepEqual(load({ [name]: text })[key], value, `${name}=${text}`);
    }
    const strict = load({ PAWL_EGRESS: "strict", PAWL_EGRESS_ALLOW: "a.example,*.b.example,10.0.0.0/8,::1" });
    assert.deepEqual(strict.egressAllow, ["a.example", "*.b.example", "10.0.0.0/8", "::1"]);
  });

  const refused: [string, string, RegExp][] = [
    ["DATABASE_URL", "mysql://root@localhost/x", /must be a URL such as postgresql:/],
    ["DATABASE_URL", "localhost:5432", /must be a URL such as postgresql:/],
    ["PAWL_DATA_DIR", "a\0b", /must be a path/],
    ["PAWL_HOST", "256.0.0.1", /must be an IP address or a host name/],
    ["PAWL_HOST", "http://localhost", /must be an IP address or a host name/],
    ["PAWL_PORT", "65536", /must be a whole number from 0 to 65535; the environment has "65536"/],
    ["PAWL_PORT", "-1", /must be a whole number/],
    ["PAWL_PORT", "7295.5", /must be a whole number/],
    ["PAWL_PORT", "0x10", /must be a whole number/],
    ["PAWL_LOG_LEVEL", "verbose", /must be one of trace, debug, info/],
    ["PAWL_LOG_FORMAT", "JSON", /must be one of auto, json, pretty/],
    ["PAWL_SYNC_WAIT_LIMIT", "10 minutes", /must be a duration from 0ms to 1d, such as/],
    ["PAWL_SYNC_WAIT_LIMIT", "2d", /must be a duration from 0ms to 1d/],
    ["PAWL_SHUTDOWN_GRACE", "-5s", /must be a duration/],
    ["PAWL_EGRESS", "open", /must be one of guarded, strict/],
    ["PAWL_EGRESS_ALLOW", "http://a.example", /must be a comma-separated list of host names/],
    ["PAWL_EGRESS_ALLOW", "a.example", /has an effect only with PAWL_EGRESS=strict/],
    ["PAWL_MAX_RUNNING", "0", /must be a whole number from 1/],
    ["PAWL_MAX_QUEUED", "1e4", /must be a whole number/],
    ["PAWL_STEP_OUTPUT_LIMIT", "1 MB", /must be a size from 1KiB to 64MiB, such as/],
    ["PAWL_STEP_OUTPUT_LIMIT", "1GiB", /must be a size from 1KiB to 64MiB/],
    ["PAWL_FILE_LIMIT", "-1", /must be a size/],
    ["PAWL_SIGN_IN_LIMIT", "many", /must be a whole number/],
    ["PAWL_DECRYPT_LIMIT", "-1", /must be a whole number/],
    ["PAWL_PROBE_LIMIT", "1.5", /must be a whole number/],
    [
      "PAWL_CONFIGURATION_URL",
      "https://me:secret@config.example",
      /must be an http or https URL without user/,
    ],
    ["PAWL_CONFIGURATION_URL", "https://config.example", /and PAWL_CONFIGURATION_TOKEN belong together/],
    ["PAWL_CONFIGURATION_TOKEN", "two words", /must be an API token, .*a value that is not shown/],
    ["PAWL_TRUST_PROXY", "10.0.0.0/33", /must be a comma-separated list of IP addresses/],
    ["PAWL_TRUST_PROXY", "true", /must be a comma-separated list of IP addresses/],
    ["PAWL_PUBLIC_URL", "ftp://pawl.example", /must be an http or https URL without user/],
    ["PAWL_SERVICES", "platform,web", /must be a comma-separated list of some of platform, bridge/],
    ["PAWL_SERVICES", ",", /must be a comma-separated list of some of/],
    ["PAWL_PLATFORM_URL", "pawl:7295", /must be an http or https URL/],
    ["PAWL_BRIDGE_TOKEN", "two words", /must be an API token, without spaces/],
    ["PAWL_MCP_BRIDGE_URL", "ftp://bridge", /must be an http or https URL/],
    ["PAWL_OIDC_ISSUER", "http://id.example", /must be an https URL/],
    ["PAWL_OIDC_AUDIENCE", "two words", /must be the audience of the tokens/],
    ["PAWL_OIDC_CLIENT_ID", "two words", /must be a client id/],
    ["PAWL_OIDC_CLIENT_SECRET", "a\u0007b", /must be a client secret/],
    ["PAWL_OIDC_NAME", "x".repeat(61), /at most 60 characters/],
    ["PAWL_OIDC_PRINCIPAL_CLAIM", "two words", /must be the name of a claim/],
    [
      "PAWL_MCP_ALLOWED_HOSTS",
      "a.example:80",
      /must be a comma-separated list of host names or addresses without/,
    ],
    ["PAWL_MCP_ALLOWED_ORIGINS", "https://a.example", /must be a comma-separated list of host names/],
    ["PAWL_MCP_CONFIRM", "always", /must be one of argument, off/],
    ["PAWL_MCP_CALLS_PER_MINUTE", "-1", /must be a whole number from 0/],
    ["PAWL_MCP_REQUESTS_PER_MINUTE", "many", /must be a whole number from 0/],
    ["PAWL_URL", "pawl.example.com", /must be an http or https URL/],
    [
      "PAWL_URL",
      "http://me:secret@pawl.example.com",
      /must be an http or https URL without user or password/,
    ],
    ["PAWL_MASTER_KEY", "hunter2", /must be 32 random bytes, .*openssl rand.*a value that is not shown/],
    ["PAWL_MASTER_KEY", "00".repeat(32), /must be 32 random bytes/],
    ["PAWL_MASTER_KEY_PREVIOUS", "hunter2", /must be 32 random bytes/],
    ["PAWL_MASTER_KEY_FILE", "a\0b", /must be a path/],
    ["PAWL_MASTER_KEY_PREVIOUS_FILE", "a\0b", /must be a path/],
    ["PAWL_TOKEN", "two words", /must be an API token, without spaces/],
    ["PAWL_FAILPOINT", "journal.after-commit:crash", /refused|crash tests only/],
    ["PAWL_FAILPOINT", "no.such-point:crash", /must be one of journal\.before-commit/],
  ];
  for (const [name, text, sentence] of refused) {
    it(`refuses ${name}=${JSON.stringify(text)}`, () => {
      const [fault, ...others] = faultsOf({ [name]: text });
      assert.match(fault!, sentence);
      assert.ok(fault!.startsWith(name));
      if (!name.endsWith("FAILPOINT")) assert.deepEqual(others, []);
    });
  }

  it("has a case of refusal for every variable", () => {
    const tried = new Set(refused.map(([name]) => name));
    assert.deepEqual(
      [...tried].sort(),
      Object.values(settings)
        .map(({ name }) => name)
        .sort(),
    );
  });

  it("takes one master key at a time, and a previous one only beside a new one", () => {
    const one = randomBytes(32).toString("base64");
    const file = "/run/secrets/pawl";
    assert.deepEqual(load({ PAWL_MASTER_KEY: one }).masterKey, Buffer.from(one, "base64"));
    assert.match(faultsOf({ PAWL_MASTER_KEY: one, PAWL_MASTER_KEY_FILE: file })[0]!, /both set/);
    assert.match(faultsOf({ PAWL_MASTER_KEY_PREVIOUS: one })[0]!, /no new one/);
    assert.match(faultsOf({ PAWL_MASTER_KEY_PREVIOUS_FILE: file })[0]!, /no new one/);
    const previous = { PAWL_MASTER_KEY_PREVIOUS: one, PAWL_MASTER_KEY_PREVIOUS_FILE: file };
    assert.match(faultsOf({ PAWL_MASTER_KEY_FILE: file, ...previous })[0]!, /both set/);
    const shown = JSON.stringify(describeConfig(load({ PAWL_MASTER_KEY: one })));
    assert.ok(!shown.includes(one) && shown.includes("(set, not shown)"));
  });

  it("takes a crash point in tests", () => {
    const failpoint = "journal.after-commit:crash@3";
    assert.equal(load({ NODE_ENV: "test", PAWL_FAILPOINT: failpoint }).failpoint, failpoint);
  });

  it("lists all faults at once, and what a misspelt name may have meant", () => {
    assert.deepEqual(
      faultsOf({ PAWL_PROT: "1", PAWL_NOTHING_LIKE_IT: "1", PAWL_EGRESS: "x", PAWL_PORT: "y" }),
      [
        'PAWL_PROT (environment) is not a variable of Pawl. Did you mean "PAWL_PORT"?',
        "PAWL_NOTHING_LIKE_IT (environment) is not a variable of Pawl.",
        'PAWL_PORT must be a whole number from 0 to 65535; the environment has "y".',
        'PAWL_EGRESS must be one of guarded, strict; the environment has "x".',
      ],
    );
  });

  it("never repeats a secret, in a fault or in a description", () => {
    const secret = "s3cr3t-value";
    const faults = faultsOf({ DATABASE_URL: `mysql://u:${secret}@h/d`, PAWL_TOKEN: `${secret} ${secret}` });
    assert.equal(faults.length, 2);
    assert.ok(!faults.join().includes(secret));

    const described = describeConfig(
      load({ DATABASE_URL: `postgresql://u:${secret}@h/d?sslpassword=${secret}`, PAWL_TOKEN: secret }),
    );
    assert.ok(!JSON.stringify(described).includes(secret));
    const value = (name: string) => described.find((one) => one.name === name)?.value;
    assert.equal(value("DATABASE_URL"), "postgresql://u:***@h/d?sslpassword=***");
    assert.equal(value("PAWL_TOKEN"), "(set, not shown)");
    assert.equal(value("PAWL_URL"), null);
    assert.equal(value("PAWL_SYNC_WAIT_LIMIT"), "10m");
    assert.equal(value("PAWL_STEP_OUTPUT_LIMIT"), "1MiB");
  });
});

describe("the .env file", () => {
  let directory: string;
  let file: string;
  before(() => {
    directory = mkdtempSync(join(tmpdir(), "pawl-config-"));
    file = join(directory, ".env");
    writeFileSync(file, "# ours\nPAWL_PORT=8001\nPAWL_LOG_LEVEL='warn'\nOTHER=1\n");
  });
  after(() => rmSync(directory, { recursive: true }));

  it("fills in what the environment leaves open", () => {
    const config = loadConfig({ PAWL_PORT: "8002" }, { envFile: file });
    assert.equal(config.port, 8002);
    assert.equal(config.logLevel, "warn");
    assert.deepEqual(
      [config.sources.port, config.sources.logLevel, config.sources.host],
      ["environment", ".env", "default"],
    );
  });

  it("is not needed", () => {
    assert.equal(loadConfig({}, { envFile: join(directory, "missing") }).port, 7295);
  });

  it("is held to the same rules", () => {
    const wrong = join(directory, "wrong.env");
    writeFileSync(wrong, "PAWL_PRT=1\nPAWL_PORT=abc\n");
    assert.deepEqual(faultsOf({}, wrong), [
      'PAWL_PRT (.env) is not a variable of Pawl. Did you mean "PAWL_PORT"?',
      'PAWL_PORT must be a whole number from 0 to 65535; the .env has "abc".',
    ]);
  });

  it("ends the start when it is there and can't be read", () => {
    assert.match(faultsOf({}, directory)[0]!, /can't be read \(EISDIR\)/);
  });
});

describe("docs/configuration.md", () => {
  it("has the same table as the code", () => {
    const text = readFileSync(new URL("../docs/configuration.md", import.meta.url), "utf8");
    const written = text.split("\n").filter((line) => /^\| `/.test(line));
    const expected = Object.values<Setting>(settings).map((setting) => {
      const fallback = setting.default === undefined ? "unset" : setting.default && `\`${setting.default}\``;
      return `| \`${setting.name}\` | ${setting.kind.label} | ${fallback || "empty"} | ${setting.about} |`;
    });
    assert.deepEqual(written, expected);
  });
});
