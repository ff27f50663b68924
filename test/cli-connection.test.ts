import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { saveConnection } from "../src/cli/connection-apply.ts";
import { echo, httpServer } from "./helpers/http-server.ts";
import { keptPawl } from "./helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "./helpers/running-pawl.ts";
import { scratchRoot } from "./helpers/scratch.ts";

const canary = "canary-5d1e";
const orders = `name: orders-db
connectionType: database-relational2
description: The shop's orders
variables:
  host: db.example.com
  port: 5432
  database: orders
  username: app
`;

describe("pawl connection and pawl var", () => {
  let folder: string;
  let server: RunningPawl;
  const said: string[] = [];

  before(async () => {
    folder = mkdtempSync(join(scratchRoot(), "pawl-cli-connection-"));
    server = await startTestPawl();
    writeFileSync(join(folder, "orders.yaml"), orders);
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  async function pawl(args: string[], input?: string) {
    const env = { PAWL_URL: server.url, PAWL_TOKEN: server.admin, PAWL_DATA_DIR: folder };
    const outcome = await keptPawl(args, { cwd: folder, env, ...(input === undefined ? {} : { input }) });
    said.push(outcome.stdout, outcome.stderr);
    return outcome;
  }
  async function json(args: string[], input?: string) {
    const outcome = await pawl([...args, "--json"], input);
    assert.equal(outcome.code, 0, outcome.stderr);
    return JSON.parse(outcome.stdout);
  }
  const variablesOf = async (id: string) =>
    (await server.client.getDecryptedConnection({ params: { connectionId: id } })).data.variables;

  test("keep a connection: made from a file with a secret from standard input, changed, and gone", async () => {
    const made = await pawl(["connection", "apply", "orders.yaml", "--secret", "password"], `${canary}\n`);
    assert.equal(made.code, 0, made.stderr);
    const [, id] = /^The connection is created\. orders-db (\S+)$/m.exec(made.stdout)!;
    const expected = { host: "db.example.com", port: "5432", database: "orders", username: "app" };
    assert.deepEqual(await variablesOf(id!), { ...expected, password: canary });

    writeFileSync(join(folder, "orders.yaml"), orders.replace("username: app", "username: reader"));
    assert.match((await pawl(["connection", "apply", "orders.yaml"])).stdout, /^The connection is changed\./);
    assert.deepEqual(await variablesOf(id!), { ...expected, username: "reader", password: canary });

    const shown = await pawl(["connection", "show", "orders-db"]);
    assert.match(shown.stdout, /^password +\(sealed\)$/m);
    assert.match(shown.stdout, /^Used by +no job$/m);
    writeFileSync(join(folder, "back.json"), JSON.stringify(await json(["connection", "show", id!])));
    assert.match((await pawl(["connection", "apply", "back.json"])).stdout, /^The connection is as it was\./);

    assert.match(
      (await pawl(["connection", "list", "--type", "database-relational2"])).stdout,
      /^orders-db +database-/m,
    );
    assert.deepEqual(await json(["connection", "list", "--type", "ftp"]), []);
    assert.equal((await pawl(["connection", "delete", "orders-db"])).code, 2, "it asks first");
    assert.deepEqual(await json(["connection", "delete", "orders-db", "--yes"]), {
      id,
      name: "orders-db",
      connectionType: "database-relational2",
      deleted: true,
    });
    const gone = await pawl(["connection", "show", "orders-bd"]);
    assert.equal(gone.code, 5);
  });

  test("say which secrets are missing or must be entered again, and how", async () => {
    const graph =
      "name: graph\nconnectionType: office-suite-graph\nvariables: { tenantId: a.example, clientId: c }\n";
    const missing = await pawl(["connection", "apply", "-"], graph);
    assert.equal(missing.code, 5);
    assert.match(missing.stderr, /\/variables\/clientSecret.*is required[\s\S]*--secret clientSecret/);
    const whole = await json(
      ["connection", "apply", "-"],
      graph.replace(" }", `, clientSecret: ${canary} }`),
    );
    assert.match(whole.variables.clientSecret, /^ENC\(/);
    const moved = await pawl(["connection", "apply", "-"], graph.replace("a.example", "b.example"));
    assert.equal(moved.code, 5);
    assert.match(moved.stderr, /must be entered again[\s\S]*Enter them: --secret clientSecret/);
    writeFileSync(join(folder, "graph.yaml"), graph.replace("a.example", "b.example"));
    const entered = await pawl(["connection", "apply", "graph.yaml", "--secret", "clientSecret"], canary);
    assert.equal(entered.code, 0, entered.stderr);
  });

  test("ask for the secrets that are missing where somebody is there to be asked, and for nothing else", async () => {
    const { data: types } = await server.client.listConnectionTypes();
    const asked: string[] = [];
    const terminal = {
      isTerminal: true,
      read: () => assert.fail("a terminal has no end"),
      ask: async (message: string) => {
        asked.push(message);
        return canary;
      },
    };
    const save = (host: string, variables: Record<string, string>) => {
      const input = {
        name: "asked",
        connectionType: "object-storage" as const,
        variables: { ...variables, endpoint: host },
      };
      const type = types.find(({ connectionType }) => connectionType === input.connectionType);
      return saveConnection(server.client, input, {}, type, terminal);
    };
    const plain = { accessKeyId: "a", region: "eu", bucket: "b" };
    const { connection } = await save("https://one.example", plain);
    assert.deepEqual(asked, ["secretAccessKey:"]);
    await save("https://one.example", { ...plain, region: "us" });
    assert.equal(asked.length, 1, "it stays");
    await save("https://two.example", plain);
    assert.equal(asked.length, 2, "it would go elsewhere");
    assert.equal((await variablesOf(connection.id)).secretAccessKey, canary);
    await assert.rejects(save("https://two.example", { ...plain, bucket: "no/bucket" }), {
      code: "VALIDATION_FAILED",
    });
    await assert.rejects(save("https://three.example", { region: "eu", bucket: "b" }), {
      code: "VALIDATION_FAILED",
    });
    assert.equal(asked.length, 2, "no secret mends that");
  });

  test("place faults in the file, and take several secrets and headers as an object", async () => {
    const ssh =
      "name: box\nconnectionType: ssh\nvariables:\n  host: a.example\n  port: many\n  usernam: app\n";
    writeFileSync(join(folder, "ssh.yaml"), ssh);
    const faults = await pawl(["connection", "apply", "ssh.yaml"]);
    assert.equal(faults.code, 5);
    assert.match(
      faults.stderr,
      /ssh\.yaml:5:\d+: \/variables\/port must be[\s\S]*ssh\.yaml:6:\d+: \/variables\/usernam .*Did you mean/,
    );
    writeFileSync(join(folder, "ssh.yaml"), ssh.replace("  port: many\n  usernam:", "  username:"));
    const args = ["connection", "apply", "ssh.yaml", "--secret", "privateKey", "passphrase"];
    const secrets = { privateKey: `-----BEGIN\n${canary}\n`, passphrase: canary };
    const made = await json(args, JSON.stringify(secrets));
    assert.deepEqual(await variablesOf(made.id), { host: "a.example", username: "app", ...secrets });
    const api =
      "name: api\nconnectionType: rest-api\nvariables:\n  baseUrl: https://a.example\n  headers: { X-Tenant: '7' }\n";
    const { id } = await json(["connection", "apply", "-"], api);
    assert.equal((await variablesOf(id)).headers, '{"X-Tenant":"7"}');
  });

  test("try a connection, step by step", async () => {
    await using target = await httpServer(echo);
    const api = (baseUrl: string) =>
      `{name: tried, connectionType: rest-api, variables: {baseUrl: ${baseUrl}, token: ${canary}}}`;
    await json(["connection", "apply", "-"], api(target.url));
    const works = await pawl(["connection", "test", "tried"]);
    assert.equal(works.code, 0, works.stderr);
    assert.match(works.stdout, /^Connect +SUCCESS/m);
    await json(["connection", "apply", "-"], api("http://127.0.0.1:1"));
    const broken = await pawl(["connection", "test", "tried"]);
    assert.equal(broken.code, 1, broken.stderr);
    assert.match(broken.stdout, /^Connect +FAILED/m);
    assert.equal(
      JSON.parse((await pawl(["connection", "test", "tried", "--json"])).stdout).status,
      "failure",
    );
  });

  test("never take a secret as an argument, and never show one", async () => {
    const refusals = [
      [["connection", "apply", "orders.yaml", "--secret", `password=${canary}`], ""],
      [["connection", "apply", "-", "--secret", "password"], orders],
      [["connection", "apply", "orders.yaml", "--secret", "password"], ""],
      [["connection", "apply", "-"], `password: {${canary}`],
      [["connection", "apply", "-"], canary],
      [["var", "set", "key", canary, "--secret"], ""],
      [["var", "set", "key", "--secret"], ""],
      [["connection", "list", "--type", "oracle"], ""],
    ] as const;
    await Promise.all(
      refusals.map(async ([args, input]) => {
        const { code, stderr } = await pawl([...args], input);
        assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
      }),
    );
    const typed = [`password=${canary}`, canary];
    for (const text of said) for (const secret of typed) assert.ok(!text.includes(secret), text);
  });

  test("set, show, list and delete variables, plain and secret", async () => {
    assert.match(
      (await pawl(["var", "set", "region", "eu-central-1"])).stdout,
      /^The variable is created\. region$/m,
    );
    assert.equal((await pawl(["var", "show", "region"])).stdout, "eu-central-1\n");
    assert.deepEqual((await json(["var", "set", "limits", "--parse", '{"rows":500}'])).value, { rows: 500 });
    assert.equal((await json(["var", "set", "number", "500"])).value, "500", "a text unless it is parsed");
    assert.equal((await json(["var", "set", "piped"], "a\nb\n")).value, "a\nb");
    const sealed = await pawl(
      ["var", "set", "api_key", "--secret", "--description", "of the shop"],
      `${canary}\n`,
    );
    assert.match(sealed.stdout, /^The variable is created\. api_key \(sealed\)$/m);
    assert.equal((await pawl(["var", "show", "api_key"])).stdout, "(sealed)\n");
    assert.match((await pawl(["var", "list"])).stdout, /^api_key +secret .*of the shop$/m);
    const refused = await pawl(["var", "set", "api_key", "in the clear"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /api_key is a secret/);
    const again = await json(["var", "set", "api_key"], `${canary}2`);
    assert.deepEqual([again.secret, again.description, again.version], [true, "of the shop", 2]);
    assert.deepEqual((await json(["var", "set", "api_key", "plain now", "--no-secret"])).value, "plain now");
    assert.equal((await pawl(["var", "set", "not-a-name", "x"])).code, 5);
    const step = { key: "a", type: "log", input: { message: "{{ vars.region }}" } };
    await server.client.createJob({ body: { name: "uses-region", steps: [step] } });
    const used = await pawl(["var", "delete", "region", "--yes"]);
    assert.equal(used.code, 5);
    assert.match(used.stderr, /used by "uses-region"/);
    assert.equal((await pawl(["var", "delete", "region", "--yes", "--force"])).code, 0);
    assert.equal((await pawl(["var", "show", "region"])).code, 5);
    for (const text of said) assert.ok(!text.includes(canary), text);
  });

  test("teach with --help, and tell what a type is made of", async () => {
    const commands = ["connection apply", "connection show", "var set"];
    const helps = await Promise.all(commands.map((command) => pawl([...command.split(" "), "--help"])));
    for (const { stdout } of helps) assert.match(stdout, /Examples:\n {2}\$ pawl /);
    assert.match((await pawl(["connection", "types"])).stdout, /^rest-api +REST API/m);
    const type = await pawl(["connection", "types", "database-document"]);
    assert.match(type.stdout, /^connectionString +secret/m);
    assert.match(type.stdout, /It needs connectionString or database\./);
  });
});
