import assert from "node:assert/strict";
import { test } from "node:test";
import { connectionTypes } from "../../contract/connection.ts";
import { checkValue, nameFault } from "./check-value.ts";
import { extraPrefix, isSensitive, templateOf, templates } from "./templates.ts";

/** The seed's table of variables, to the letter. */
const seed: Record<string, string> = {
  "email-smtp": "host, port, username, password, encryption, fromAddress, fromName",
  "database-relational1": "host, port, database, username, password, useSSL",
  "database-document": "connectionString, database, username, password",
  "database-relational2": "host, port, database, username, password",
  ssh: "host, port, username, authMethod, password, privateKey, passphrase",
  sftp: "host, port, username, password, privateKey, remotePath",
  ftp: "host, port, username, password",
  "object-storage": "accessKeyId, secretAccessKey, region, bucket",
  "chat-workspace": "webhookUrl, botToken, defaultChannel",
  "crm-suite": "instanceUrl, clientId, clientSecret, username, password",
  "office-suite-graph": "tenantId, clientId, clientSecret",
  "rest-api": "baseUrl, authType, token, headers",
};
/** Required and sensitive ones, as the design has them. */
const design: Record<string, [required: string, sensitive: string]> = {
  "email-smtp": ["host, port, fromAddress", "password"],
  "database-relational1": ["host, port, database, username", "password"],
  "database-relational2": ["host, port, database, username", "password"],
  "database-document": ["", "connectionString, password"],
  ssh: ["host, username", "password, privateKey, passphrase"],
  sftp: ["host, username", "password, privateKey, passphrase"],
  ftp: ["host", "password"],
  "object-storage": ["accessKeyId, secretAccessKey, region, bucket", "secretAccessKey"],
  "chat-workspace": ["", "webhookUrl, botToken"],
  "crm-suite": ["instanceUrl, clientId, clientSecret", "clientSecret, password"],
  "office-suite-graph": ["tenantId, clientId, clientSecret", "clientSecret"],
  "rest-api": ["baseUrl", "token, headers"],
};

test("has the types and variables of the seed, and its own two besides", () => {
  assert.deepEqual(Object.keys(seed).sort(), [...connectionTypes].sort());
  assert.deepEqual(templates.map((each) => each.connectionType).sort(), [...connectionTypes].sort());
  const own: Record<string, string> = { sftp: "passphrase", "object-storage": "endpoint" };
  for (const { connectionType, fields, destination, anyOfRequired } of templates) {
    const names = fields.map(({ name }) => name);
    const expected = [...seed[connectionType]!.split(", "), ...(own[connectionType]?.split(", ") ?? [])];
    assert.deepEqual(names.toSorted(), expected.sort(), connectionType);
    const listed = (holds: (field: (typeof fields)[number]) => boolean) =>
      fields
        .filter(holds)
        .map(({ name }) => name)
        .join(", ");
    assert.deepEqual(
      [listed((it) => it.required), listed((it) => it.sensitive)],
      design[connectionType],
      connectionType,
    );
    for (const name of [...destination, ...anyOfRequired.flat()]) {
      assert.ok(names.includes(name) || name.startsWith(extraPrefix), name);
    }
  }
});

test("further variables are sealed when their name says that they are secret", () => {
  const template = templateOf("rest-api");
  for (const name of ["x-api-key", "x-Token", "x-client-secret", "x-basic-auth", "x-passphrase"]) {
    assert.equal(isSensitive(template, name), true, name);
  }
  for (const name of ["x-team", "x-region", "x-note"]) assert.equal(isSensitive(template, name), false, name);
  for (const name of ["x-", "x-ø", "x-a b", `x-${"a".repeat(61)}`, "X-team", "hosts", "toString"]) {
    assert.ok(nameFault(template, name), name);
  }
  assert.match(nameFault(template, "baseurl")!, /Did you mean "baseUrl"\?/);
});

const type = {
  host: ["ssh", "host"],
  port: ["ssh", "port"],
  bool: ["database-relational1", "useSSL"],
  url: ["rest-api", "baseUrl"],
  hook: ["chat-workspace", "webhookUrl"],
  mail: ["email-smtp", "fromAddress"],
  crypt: ["email-smtp", "encryption"],
  auth: ["ssh", "authMethod"],
  key: ["ssh", "privateKey"],
  word: ["ssh", "password"],
  headers: ["rest-api", "headers"],
  region: ["object-storage", "region"],
  bucket: ["object-storage", "bucket"],
  mongo: ["database-document", "connectionString"],
  tenant: ["office-suite-graph", "tenantId"],
} as const;

const fits: [keyof typeof type, string, kept?: string][] = [
  ...["localhost", "db.example.com", "127.0.0.1", "::1", "[::1]", "db_1", "bücher.example"].map(
    (text): [keyof typeof type, string] => ["host", text],
  ),
  ["port", "1"],
  ["port", "65535"],
  ["port", "0022", "22"],
  ["bool", "true"],
  ["bool", "FALSE", "false"],
  ["url", "https://api.example.com/v1?a=b"],
  ["url", "http://[::1]:8080"],
  ["hook", "https://hooks.example.com/services/T/B/X"],
  ["mail", "no-reply@example.com"],
  ["crypt", "STARTTLS", "starttls"],
  ["crypt", "tls"],
  ["auth", "private_key", "privateKey"],
  ["key", "-----BEGIN KEY-----\nabc\n-----END KEY-----\n"],
  ["word", " spaces stay, as do ø and 🔑 "],
  ["headers", '{"X-Tenant":"7","X-Åben":"no"}'.replace("X-Åben", "X-Open")],
  ["headers", "{}"],
  ["region", "eu-central-1"],
  ["bucket", "my.bucket-1"],
  ["mongo", "mongodb+srv://u:p@cluster.example/db"],
  ["tenant", "contoso.example"],
];
const misfits: [keyof typeof type, string][] = [
  ...[
    "https://a.example",
    "a.example:22",
    "a b",
    "a/b",
    "u@a",
    "a\n",
    "[a]",
    "a.example?x",
    "a".repeat(256),
  ].map((text): [keyof typeof type, string] => ["host", text]),
  ...["0", "65536", "-1", "1.5", "1e3", " 22", "abc", "0x16"].map((text): [keyof typeof type, string] => [
    "port",
    text,
  ]),
  ["bool", "yes"],
  ["bool", "1"],
  ...[
    "ftp://a",
    "a.example",
    "https://",
    "https://u:p@a.example",
    "javascript:alert(1)",
    "https://a b",
    " https://a",
    "file:///etc",
  ].map((text): [keyof typeof type, string] => ["url", text]),
  ["hook", "hooks.example.com"],
  ...["a", "a@b@c", "Ana <a@b.example>", "a@b.example\r\nBcc: c@d.example", "a@b.example,c@d.example"].map(
    (text): [keyof typeof type, string] => ["mail", text],
  ),
  ["crypt", "ssl3"],
  ["auth", "agent"],
  ["word", "line\nbreak"],
  ["word", "a".repeat(4097)],
  ["key", "a".repeat(65_537)],
  ...["", "[]", "null", '"a"', '{"a b":"c"}', '{"a":1}', '{"a":"b\\r\\nc: d"}', '{"":"a"}'].map(
    (text): [keyof typeof type, string] => ["headers", text],
  ),
  ["region", "eu/../central"],
  ["bucket", "a/b"],
  ["mongo", "https://a.example"],
  ["mongo", "mongodb://"],
  ["tenant", "a/../b"],
];

test("takes what fits a field, in one spelling, and refuses what does not without showing it", () => {
  const check = (name: keyof typeof type, text: string) => {
    const [connectionType, fieldName] = type[name];
    const field = templateOf(connectionType).fields.find((each) => each.name === fieldName);
    assert.ok(field);
    return checkValue(field, text);
  };
  for (const [name, text, kept = text] of fits) assert.deepEqual(check(name, text), { value: kept }, text);
  for (const [name, text] of misfits) {
    const checked = check(name, text);
    assert.ok("fault" in checked, `${name} ${text}`);
    // Whatever was entered may be a secret in the wrong field.
    const marked = check(name, `${text}canary`);
    if ("fault" in marked) assert.ok(!marked.fault.includes("canary"), marked.fault);
  }
  assert.ok("fault" in checkValue(undefined, "a\0"));
  assert.deepEqual(checkValue(undefined, "a"), { value: "a" });
});
