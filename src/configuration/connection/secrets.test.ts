import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

type App = Awaited<ReturnType<typeof configurationApp>>;

const canary = "canary-7f3a";
const mail = (name: string, more: object = {}) => ({
  name,
  connectionType: "email-smtp",
  variables: { host: "smtp.example.com", port: "587", fromAddress: "a@b.example", password: canary, ...more },
});

async function upsert({ call }: App, body: object) {
  const done = await call("POST", "/connection/upsert", body);
  assert.ok([200, 201].includes(done.status), done.response.body);
  return done.data;
}

const sealMessage = /^This sealed value can't be opened: .*Enter the value itself again\.$/;

test("seals equal secrets differently, and shows none of them outside the two answers that are for it", async (t) => {
  const app = await configurationApp(t);
  const [one, two] = [await upsert(app, mail("one")), await upsert(app, mail("two"))];
  assert.notEqual(one.variables.password, two.variables.password);
  const bodies: string[] = [];
  const ask = async (method: string, url: string, body?: object) =>
    bodies.push((await app.call(method, url, body)).response.body);
  await ask("GET", `/connection/${one.id}`);
  await ask("GET", "/connection/name/one");
  await ask("POST", "/connection/search", {});
  await ask("GET", "/connection/options");
  await ask("GET", "/connection/type/email-smtp");
  await ask("GET", "/connection/category/communication");
  await ask("POST", "/connection/upsert", mail("one", { password: "canary-2" }));
  await ask(
    "POST",
    "/connection/upsert",
    mail("one", { password: `${canary}\n`, port: canary, host: `${canary}/` }),
  );
  await ask("POST", "/connection/upsert", mail("one", { [canary]: canary, token: canary }));
  await ask("POST", "/connection/upsert", { ...mail("one"), variables: canary });
  await ask("POST", "/connection/decrypt", { encryptedValue: `ENC(${canary})` });
  await ask("DELETE", `/connection/delete/${two.id}`);
  // A name that is wrong is told, a value never is.
  for (const body of bodies) assert.ok(!body.replaceAll(`/variables/${canary}`, "").includes(canary), body);
  const { rows } = await app.pool.query(
    `select row_to_json(connection)::text || row_to_json(connection_secret)::text as text
     from connection join connection_secret on connection_id = id`,
  );
  assert.equal(rows.length, 1);
  for (const text of [...rows.map((row) => row.text), app.log(), JSON.stringify(app.trail.entries)]) {
    for (const form of [canary, btoa(canary), encodeURIComponent(canary), "canary-2"]) {
      assert.ok(!text.includes(form));
    }
  }
});

test("records who changed, deleted and decrypted what, before a secret is answered", async (t) => {
  const app = await configurationApp(t);
  const { trail } = app;
  const made = await upsert(app, mail("one"));
  await upsert(app, mail("one", { fromName: "Pawl", password: "new" }));
  await upsert(app, { ...mail("one"), variables: { ...made.variables, password: "" }, description: "d" });
  const two = await upsert(app, mail("two"));
  await app.call("GET", `/connection/decrypted/${two.id}`);
  await app.call("POST", "/connection/decrypt", { encryptedValue: two.variables.password });
  await app.call("POST", "/connection/bulk-delete", { ids: [made.id, two.id, newId()] });
  const lines = trail.entries.map(({ action, target, changed, outcome, actor }) => [
    actor.name,
    action,
    target.type,
    target.name,
    changed.toSorted().join(" "),
    outcome,
  ]);
  assert.deepEqual(lines, [
    [
      "admin",
      "upsertConnection",
      "connection",
      "one",
      "category connectionType description fromAddress host name password port",
      "success",
    ],
    ["admin", "upsertConnection", "connection", "one", "fromName password", "success"],
    ["admin", "upsertConnection", "connection", "one", "description fromName password", "success"],
    [
      "admin",
      "upsertConnection",
      "connection",
      "two",
      "category connectionType description fromAddress host name password port",
      "success",
    ],
    ["admin", "getDecryptedConnection", "connection", "two", "", "success"],
    ["admin", "decryptConnectionValue", "connection", "two: password", "", "success"],
    ["admin", "deleteConnections", "connection", "one", "", "success"],
    ["admin", "deleteConnections", "connection", "two", "", "success"],
  ]);

  const kept = await upsert(app, mail("kept"));
  trail.isAway = true;
  for (const answer of [
    await app.call("GET", `/connection/decrypted/${kept.id}`),
    await app.call("POST", "/connection/decrypt", { encryptedValue: kept.variables.password }),
  ]) {
    assertRefused(answer.response, 503, "STORE_UNAVAILABLE");
    assert.ok(!answer.response.body.includes(canary));
  }
});

test("asks for the secrets again when where they go has changed, of every type", async (t) => {
  const app = await configurationApp(t);
  const table: [
    type: string,
    variables: Record<string, string>,
    moved: Record<string, string>,
    secrets: string[],
  ][] = [
    [
      "email-smtp",
      { host: "a", port: "25", fromAddress: "a@b.example", password: "s" },
      { host: "b" },
      ["password"],
    ],
    [
      "email-smtp",
      { host: "a", port: "25", fromAddress: "a@b.example", password: "s" },
      { port: "26" },
      ["password"],
    ],
    [
      "email-smtp",
      { host: "a", port: "25", fromAddress: "a@b.example", encryption: "tls", password: "s" },
      { encryption: "none" },
      ["password"],
    ],
    [
      "database-relational1",
      { host: "a", port: "1", database: "d", username: "u", useSSL: "true", password: "s" },
      { useSSL: "" },
      ["password"],
    ],
    [
      "database-relational2",
      { host: "a", port: "1", database: "d", username: "u", password: "s" },
      { host: "b" },
      ["password"],
    ],
    [
      "database-document",
      { connectionString: "mongodb://a/d", password: "s" },
      { connectionString: "mongodb://b/d" },
      ["password"],
    ],
    [
      "ssh",
      { host: "a", username: "u", privateKey: "k", passphrase: "s" },
      { port: "22" },
      ["passphrase", "privateKey"],
    ],
    ["sftp", { host: "a", username: "u", password: "s" }, { host: "b" }, ["password"]],
    ["ftp", { host: "a", password: "s", "x-api-key": "k" }, { host: "b" }, ["password", "x-api-key"]],
    [
      "object-storage",
      { accessKeyId: "a", secretAccessKey: "s", region: "r", bucket: "b" },
      { endpoint: "https://c.example" },
      ["secretAccessKey"],
    ],
    ["chat-workspace", { botToken: "s" }, { webhookUrl: "https://b.example" }, ["botToken"]],
    [
      "crm-suite",
      { instanceUrl: "https://a.example", clientId: "c", clientSecret: "s", password: "p" },
      { instanceUrl: "https://b.example" },
      ["clientSecret", "password"],
    ],
    [
      "office-suite-graph",
      { tenantId: "a", clientId: "c", clientSecret: "s" },
      { tenantId: "b" },
      ["clientSecret"],
    ],
    [
      "rest-api",
      { baseUrl: "https://a.example", token: "s", headers: "{}" },
      { baseUrl: "https://a.example:444" },
      ["headers", "token"],
    ],
  ];
  for (const [n, [connectionType, variables, moved, secrets]] of table.entries()) {
    const identity = { name: `c${n}`, connectionType };
    const made = await upsert(app, { ...identity, variables });
    const without = Object.fromEntries(Object.entries(variables).filter(([name]) => !secrets.includes(name)));
    for (const given of [
      { ...made.variables, ...moved },
      { ...without, ...moved },
    ]) {
      const refused = await app.call("POST", "/connection/upsert", { ...identity, variables: given });
      assertRefused(refused.response, 422, "SECRET_REENTRY_REQUIRED");
      const paths = refused.body.error.details.map(({ path }: { path: string }) => path).sort();
      assert.deepEqual(
        paths,
        secrets.map((name) => `/variables/${name}`),
        connectionType,
      );
    }
    assert.deepEqual((await app.call("GET", `/connection/${made.id}`)).data, made, "nothing was changed");
    const entered = await upsert(app, { ...identity, variables: { ...variables, ...moved } });
    assert.equal(entered.version, 2);
  }
  const { id } = await upsert(app, mail("removed"));
  await upsert(app, { ...mail("removed", { host: "b", password: "" }) });
  assert.deepEqual((await app.call("GET", `/connection/decrypted/${id}`)).data.sensitiveVariables, []);
});

test("opens a sealed value for its own record and field only, and gives one answer for all that is wrong", async (t) => {
  const app = await configurationApp(t);
  const [one, two] = [await upsert(app, mail("one")), await upsert(app, mail("two"))];
  const ssh = {
    name: "ssh",
    connectionType: "ssh",
    variables: { host: "a", username: "u", password: "p", passphrase: "q" },
  };
  const made = await upsert(app, ssh);
  const variable = await app.call("POST", "/global-variable/upsert", { name: "v", secret: true, value: "s" });
  const sealed: string = one.variables.password;
  const flipped = sealed.slice(0, -3) + (sealed.at(-3) === "A" ? "B" : "A") + sealed.slice(-2);
  const messages = new Set<string>();
  const refused = async (body: object, url = "/connection/upsert") => {
    const answer = await app.call("POST", url, body);
    assertRefused(answer.response, 422, "DECRYPT_FAILED");
    messages.add(answer.body.message);
  };
  for (const password of [
    two.variables.password,
    flipped,
    "ENC()",
    "ENC(x)",
    "ENC(v1.a.b.c)",
    sealed.replace("v1", "v2"),
  ]) {
    await refused(mail("one", { password }));
    await refused(mail("new", { password }));
    await refused(mail("one", { fromName: password }));
  }
  await refused(mail("new", { password: sealed }));
  await refused(mail("one", { username: sealed }));
  await refused({ ...ssh, variables: { ...ssh.variables, passphrase: made.variables.password } });
  await refused({ ...ssh, variables: { ...ssh.variables, password: made.variables.passphrase } });
  await refused({ ...mail("one", { password: sealed }), connectionType: "email-smtp", name: "two" });
  for (const encryptedValue of [
    flipped,
    "",
    canary,
    "ENC()",
    "vault:x",
    variable.data.value,
    sealed.slice(0, -1),
    ` ${sealed}`,
    made.id,
  ]) {
    await refused({ encryptedValue }, "/connection/decrypt");
  }
  assert.equal(messages.size, 1);
  assert.match([...messages][0]!, sealMessage);
  assert.deepEqual((await app.call("GET", `/connection/${one.id}`)).data, one, "nothing was changed");

  await app.pool.query("update connection_secret set sealed = $2 where connection_id = $1", [
    one.id,
    flipped,
  ]);
  assertRefused((await app.call("GET", `/connection/decrypted/${one.id}`)).response, 422, "DECRYPT_FAILED");
  assert.equal(
    (await app.call("GET", `/connection/${one.id}`)).data.variables.password,
    flipped,
    "it is shown sealed",
  );
  await refused(mail("one", { password: flipped }));
  await app.pool.query("update connection_secret set sealed = $2 where connection_id = $1", [
    one.id,
    two.variables.password,
  ]);
  assertRefused((await app.call("GET", `/connection/decrypted/${one.id}`)).response, 422, "DECRYPT_FAILED");
  await upsert(app, mail("one", { password: "again" }));
  assert.equal((await app.call("GET", `/connection/decrypted/${one.id}`)).data.variables.password, "again");
});

const histories = fc.array(
  fc.record({
    to: fc.constantFrom("one", "two"),
    host: fc.constantFrom("a", "b"),
    password: fc.constantFrom("omit", "empty", "new", "own", "old", "other", "foreign"),
    passphrase: fc.constantFrom("omit", "empty", "new", "own", "other"),
  }),
  { minLength: 1, maxLength: 8 },
);

test("through any history a secret opens as what was last entered for it, or is gone", async (t) => {
  const app = await configurationApp(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      run++;
      type Known = {
        id: string;
        host: string;
        clear: Record<string, string>;
        shown: Record<string, string>;
        old: string | undefined;
      };
      const known = new Map<string, Known>();
      for (const [n, { to, host, ...moves }] of history.entries()) {
        const before = known.get(to);
        const other = known.get(to === "one" ? "two" : "one");
        const variables: Record<string, string> = { host, username: "u" };
        const clear = { ...before?.clear };
        let [isMisplaced, keeps] = [false, false];
        for (const [field, move] of Object.entries(moves)) {
          const had = before?.clear[field] !== undefined;
          const back = {
            own: before?.shown[field],
            old: before?.old,
            other: before?.shown[field === "password" ? "passphrase" : "password"],
            foreign: other?.shown[field],
          }[move as string];
          if (move === "empty") variables[field] = "";
          if (move === "new") variables[field] = `${field} ${run} ${n}`;
          if (back !== undefined) variables[field] = back;
          if (move === "empty") delete clear[field];
          else if (move === "new") clear[field] = variables[field]!;
          else if (back !== undefined && (move === "other" || move === "foreign" || !had)) isMisplaced = true;
          else if (had) keeps = true;
        }
        const answer = await app.call("POST", "/connection/upsert", {
          name: `${to} ${run}`,
          connectionType: "ssh",
          variables,
        });
        const reenter = before !== undefined && before.host !== host && keeps;
        const expected = isMisplaced ? 422 : reenter ? 422 : before ? 200 : 201;
        assert.equal(answer.status, expected, answer.response.body);
        if (expected === 422) {
          assert.equal(answer.body.error.code, isMisplaced ? "DECRYPT_FAILED" : "SECRET_REENTRY_REQUIRED");
          continue;
        }
        const { id, variables: shown } = answer.data;
        const opened = await app.call("GET", `/connection/decrypted/${id}`);
        assert.deepEqual(opened.data.variables, { host, username: "u", ...clear });
        known.set(to, { id, host, clear, shown, old: before?.shown.password });
      }
    }),
    { numRuns: 60 },
  );
});
