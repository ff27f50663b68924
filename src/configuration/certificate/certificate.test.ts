import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from "node:crypto";
import { test } from "node:test";
import { integer, makeCertificate, octets, oid, pem, sequence } from "../../../test/helpers/certificates.ts";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";
import { fits } from "./fit.ts";
import { chainFault, detailsOf, type ParsedChain, parseChain } from "./parse-chain.ts";
import { parseKey } from "./parse-key.ts";

const root = makeCertificate({ subject: "Test Root", authority: true });
const middle = makeCertificate({ subject: "Test Middle", authority: true, issuer: root });
const leaf = makeCertificate({
  subject: "client.example.com",
  issuer: middle,
  dns: ["client.example.com", 'odd,DNS:"name'],
  ips: ["192.0.2.7"],
});
const chain = leaf.certificate + middle.certificate + root.certificate;
const other = makeCertificate({ subject: "Other" });

test("keeps certificates: made, read, changed, found, deleted, the key never shown", async (t) => {
  const app = await configurationApp(t);
  const { call } = app;
  const body = { name: "a/b søk?", certificate: chain, privateKey: leaf.privateKey, description: "d" };
  const made = await call("POST", "/certificate/upsert", body);
  assert.equal(made.status, 201, made.response.body);
  const { id, createdAt, updatedAt, chain: details, certificate, ...rest } = made.data;
  const read = new X509Certificate(leaf.certificate);
  assert.deepEqual(rest, {
    name: "a/b søk?",
    description: "d",
    subject: "CN=client.example.com",
    issuer: "CN=Test Middle",
    serialNumber: read.serialNumber.toLowerCase(),
    subjectAltNames: ["DNS:client.example.com", 'DNS:odd,DNS:"name', "IP Address:192.0.2.7"],
    notBefore: read.validFromDate.toISOString(),
    expiresAt: read.validToDate.toISOString(),
    fingerprint: read.fingerprint256.replaceAll(":", "").toLowerCase(),
    keyType: "ec prime256v1",
    isAuthority: false,
    hasPrivateKey: true,
    version: 1,
    createdBy: "admin",
    updatedBy: "admin",
  });
  assert.equal(createdAt, updatedAt);
  assert.equal(certificate, chain);
  assert.deepEqual(
    details.map((one: { subject: string }) => one.subject),
    ["CN=client.example.com", "CN=Test Middle", "CN=Test Root"],
  );
  const named = `/certificate/name/${encodeURIComponent(body.name)}`;
  for (const path of [`/certificate/${id}`, named]) {
    assert.deepEqual((await call("GET", path)).data, made.data, path);
  }
  assert.deepEqual((await call("GET", "/certificate/options")).body, [{ label: body.name, value: id }]);
  const found = await call("POST", "/certificate/search", { searchText: "client.example" });
  assert.deepEqual([found.data.length, found.data[0].id, found.data[0].chain], [1, id, undefined]);
  assert.equal((await call("GET", `/certificate/${encodeURIComponent(body.name)}/exists`)).data, true);
  assert.equal(
    (await call("GET", `/certificate/${encodeURIComponent(body.name)}/exists?id=${id}`)).data,
    false,
  );

  const open = await call("GET", `/certificate/decrypted/${id}`);
  assert.deepEqual(open.data, { id, name: body.name, certificate: chain, privateKey: leaf.privateKey });
  const secret = leaf.privateKey.split("\n")[1]!;
  for (const shown of [made, found, await call("GET", `/certificate/${id}`)]) {
    assert.ok(!shown.response.body.includes(secret));
  }
  assert.ok(!app.log().includes(secret));
  const { rows } = await app.pool.query(
    "select certificate::text || coalesce(certificate_secret::text, '') as kept from certificate left join certificate_secret on certificate_id = id",
  );
  assert.ok(rows.length === 1 && !rows[0].kept.includes(secret));

  assert.equal(
    (await call("POST", "/certificate/upsert", body)).data.version,
    2,
    "a key that is sent is new",
  );
  const same = await call("POST", "/certificate/upsert", { ...body, privateKey: undefined });
  assert.deepEqual([same.data.version, same.body.message], [2, "The certificate is as it was."]);
  const renamed = await call("POST", "/certificate/upsert", { id, name: "plain", certificate: chain });
  assert.deepEqual(
    [renamed.data.name, renamed.data.hasPrivateKey, renamed.data.description],
    ["plain", true, ""],
  );
  const removed = await call("POST", "/certificate/upsert", {
    name: "plain",
    certificate: chain,
    privateKey: null,
  });
  assert.equal(removed.data.hasPrivateKey, false);
  assert.equal((await call("GET", `/certificate/decrypted/${id}`)).data.privateKey, null);
  assert.deepEqual((await call("DELETE", `/certificate/delete/${id}`)).data, null);
  assertRefused((await call("GET", `/certificate/${id}`)).response, 404, "NOT_FOUND");
});

test("finds what expires, and what has a key", async (t) => {
  const { call } = await configurationApp(t);
  for (const [name, year, privateKey] of [
    ["soon", 2027, true],
    ["later", 2126, false],
    ["never", 9999, false],
  ] as const) {
    const made = makeCertificate({ subject: name, notAfter: new Date(Date.UTC(year, 0, 1)) });
    const key = privateKey ? { privateKey: made.privateKey } : {};
    const answer = await call("POST", "/certificate/upsert", { name, certificate: made.certificate, ...key });
    assert.equal(answer.status, 201, answer.response.body);
  }
  const names = async (field: string, matchMode: string, value: unknown) => {
    const filters = { [field]: { operator: "and", constraints: [{ matchMode, value }] } };
    const body = { filters, sortBy: "expiresAt", sortOrder: "asc" };
    const { data } = await call("POST", "/certificate/search", body);
    return data.map((one: { name: string }) => one.name);
  };
  assert.deepEqual(await names("expiresAt", "lt", "2028-01-01"), ["soon"]);
  assert.deepEqual(await names("expiresAt", "gte", "2028-01-01"), ["later", "never"]);
  assert.deepEqual(await names("hasPrivateKey", "equals", true), ["soon"]);
  assert.deepEqual(await names("issuer", "equals", "CN=later"), ["later"]);
});

test("takes keys in every form of PEM, with their passphrases", async (t) => {
  const { call } = await configurationApp(t);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const legacy = { type: "pkcs1", format: "pem", cipher: "aes-128-cbc", passphrase: "pässword" } as const;
  assert.match(String(rsa.privateKey.export(legacy)), /Proc-Type: 4,ENCRYPTED/);
  const protect = { format: "pem", cipher: "aes-256-cbc", passphrase: "pässword" } as const;
  const forms = {
    pkcs8: String(leaf.keys.privateKey.export({ type: "pkcs8", format: "pem" })),
    sec1: String(leaf.keys.privateKey.export({ type: "sec1", format: "pem" })),
    "pkcs8, protected": String(leaf.keys.privateKey.export({ type: "pkcs8", ...protect })),
    "sec1, protected": String(leaf.keys.privateKey.export({ type: "sec1", ...protect })),
    "with words around it": `Key Attributes\n${leaf.privateKey}\nafter`,
  };
  for (const [form, privateKey] of Object.entries(forms)) {
    const passphrase = form.includes("protected") ? { passphrase: "pässword" } : {};
    const made = await call("POST", "/certificate/upsert", {
      name: form,
      certificate: chain,
      privateKey,
      ...passphrase,
    });
    assert.equal(made.status, 201, `${form}: ${made.response.body}`);
    const open = await call("GET", `/certificate/decrypted/${made.data.id}`);
    assert.ok(createPrivateKey(open.data.privateKey).equals(leaf.keys.privateKey), form);
  }
});

/** A protected key whose text asks for so many rounds. */
function protectedKey(rounds: number, prf = "1.2.840.113549.1.5.12"): string {
  const count = Buffer.from(rounds.toString(16).padStart(8, "0"), "hex");
  const derive = sequence(oid(prf), sequence(octets(Buffer.alloc(8)), integer(count)));
  const cipher = sequence(oid("2.16.840.1.101.3.4.1.42"), octets(Buffer.alloc(16)));
  const scheme = sequence(oid("1.2.840.113549.1.5.13"), sequence(derive, cipher));
  return pem("ENCRYPTED PRIVATE KEY", sequence(scheme, octets(Buffer.alloc(48))));
}

test("refuses what it should: who, what, which, and what does not fit together", async (t) => {
  const app = await configurationApp(t);
  const { id } = (
    await app.call("POST", "/certificate/upsert", {
      name: "one",
      certificate: chain,
      privateKey: leaf.privateKey,
    })
  ).data;
  await app.call("POST", "/certificate/upsert", { name: "two", certificate: other.certificate });
  const reader = await app.principal("reader", ["ConfigService:Certificate:read"]);
  const writer = await app.principal("writer", ["ConfigService:Certificate:upsert"]);
  const up = (body: object) => ["POST", "/certificate/upsert", { name: "new", ...body }] as const;
  const protect = { type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "right" } as const;
  const locked = String(leaf.keys.privateKey.export(protect));
  const damaged = leaf.certificate.replace(/^MI.{8}/m, "A".repeat(10));
  const table: [
    string | undefined,
    readonly [string, string, object?],
    number,
    string,
    (string | RegExp)?,
  ][] = [
    [undefined, up({ certificate: chain }), 401, "UNAUTHENTICATED"],
    [undefined, ["GET", `/certificate/${id}`], 401, "UNAUTHENTICATED"],
    [reader.token, up({ certificate: chain }), 403, "FORBIDDEN"],
    [reader.token, ["GET", `/certificate/decrypted/${id}`], 403, "FORBIDDEN"],
    [reader.token, ["DELETE", `/certificate/delete/${id}`], 403, "FORBIDDEN"],
    [reader.token, ["POST", "/certificate/bulk-delete", { ids: [id] }], 403, "FORBIDDEN"],
    [writer.token, ["GET", `/certificate/${id}`], 403, "FORBIDDEN"],
    [writer.token, ["POST", "/certificate/search", {}], 403, "FORBIDDEN"],
    [app.admin, ["GET", `/certificate/${newId()}`], 404, "NOT_FOUND"],
    [app.admin, ["GET", "/certificate/name/three"], 404, "NOT_FOUND"],
    [app.admin, ["GET", `/certificate/decrypted/${newId()}`], 404, "NOT_FOUND"],
    [app.admin, ["DELETE", `/certificate/delete/${newId()}`], 404, "NOT_FOUND"],
    [app.admin, up({ id: newId(), certificate: chain }), 404, "NOT_FOUND"],
    [app.admin, ["GET", "/certificate/one"], 400, "VALIDATION_FAILED"],
    [app.admin, up({}), 400, "VALIDATION_FAILED", "/certificate"],
    [app.admin, up({ certificate: "none" }), 400, "VALIDATION_FAILED", /BEGIN CERTIFICATE/],
    [app.admin, up({ certificate: damaged }), 400, "VALIDATION_FAILED", /the 1st, that can't be read/],
    [app.admin, up({ certificate: chain + leaf.privateKey }), 400, "VALIDATION_FAILED", /privateKey/],
    [app.admin, up({ certificate: pem("CERTIFICATE REQUEST", Buffer.alloc(9)) }), 400, "VALIDATION_FAILED"],
    [app.admin, up({ certificate: chain.repeat(20) }), 400, "VALIDATION_FAILED", /50 certificates/],
    [
      app.admin,
      up({ certificate: leaf.certificate + root.certificate, privateKey: leaf.privateKey }),
      400,
      "VALIDATION_FAILED",
      /2nd certificate \(CN=Test Root\) did not issue the 1st/,
    ],
    [
      app.admin,
      up({ certificate: root.certificate + leaf.certificate, privateKey: leaf.privateKey }),
      400,
      "VALIDATION_FAILED",
      /not the key of the first/,
    ],
    [app.admin, up({ certificate: chain, privateKey: "x" }), 400, "VALIDATION_FAILED", "/privateKey"],
    [
      app.admin,
      up({ certificate: chain, privateKey: pem("PRIVATE KEY", Buffer.alloc(40)) }),
      400,
      "VALIDATION_FAILED",
      /damaged/,
    ],
    [
      app.admin,
      up({ certificate: chain, privateKey: pem("OPENSSH PRIVATE KEY", Buffer.alloc(40)) }),
      400,
      "VALIDATION_FAILED",
      /ssh-keygen/,
    ],
    [
      app.admin,
      up({ certificate: chain, privateKey: leaf.privateKey.repeat(2) }),
      400,
      "VALIDATION_FAILED",
      /more of them/,
    ],
    [app.admin, up({ certificate: chain, privateKey: locked }), 400, "VALIDATION_FAILED", "/passphrase"],
    [
      app.admin,
      up({ certificate: chain, privateKey: locked, passphrase: "wrong" }),
      400,
      "VALIDATION_FAILED",
      "/passphrase",
    ],
    [app.admin, up({ certificate: chain, passphrase: "x" }), 400, "VALIDATION_FAILED", "/passphrase"],
    [app.admin, up({ certificate: chain, privateKey: other.privateKey }), 400, "VALIDATION_FAILED"],
    [app.admin, up({ name: "", certificate: chain }), 400, "VALIDATION_FAILED", "/name"],
    [app.admin, up({ id, name: "two", certificate: chain }), 409, "CONFLICT", /named "two"/],
    [
      app.admin,
      ["POST", "/certificate/upsert?expectedVersion=7", { name: "one", certificate: chain }],
      409,
      "CONFLICT",
    ],
    [
      app.admin,
      up({ name: "one", certificate: other.certificate }),
      422,
      "SECRET_REENTRY_REQUIRED",
      "/privateKey",
    ],
    [app.admin, ["POST", "/certificate/search", { sortBy: "sealed" }], 400, "VALIDATION_FAILED", "/sortBy"],
    [
      app.admin,
      ["POST", "/certificate/search", { filters: { privateKey: { operator: "and", constraints: [] } } }],
      400,
      "VALIDATION_FAILED",
    ],
  ];
  for (const [token, [method, url, body], status, code, hint] of table) {
    const answer = await app.as(token, method, url, body);
    assertRefused(answer.response, status, code);
    if (hint instanceof RegExp) assert.match(answer.body.message, hint);
    if (typeof hint === "string") assert.equal(answer.body.error.details[0].path, hint);
    assert.ok(!answer.response.body.includes("MIG"), "no key in a refusal");
  }
});

test("does not let a key's own text say how long the server is busy", async (t) => {
  const { call } = await configurationApp(t);
  const send = (privateKey: string) =>
    call("POST", "/certificate/upsert", { name: "x", certificate: chain, privateKey, passphrase: "p" });
  const started = performance.now();
  for (const rounds of [0x7fffffff, 5_000_000]) {
    const answer = await send(protectedKey(rounds));
    assert.match(answer.body.message, /so many rounds/);
  }
  assert.ok(performance.now() - started < 1_000);
  assert.match((await send(protectedKey(2048))).body.message, /does not open/);
  const cut = pem("ENCRYPTED PRIVATE KEY", Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0x30]));
  assert.equal((await send(cut)).status, 400);
});

/** The DER of a PEM with one byte changed, for every byte. */
function* damaged(text: string): Generator<[string, string]> {
  const [, label, base64] = /BEGIN (.*)-----([^-]*)/.exec(text)!;
  const der = Buffer.from(base64!, "base64");
  for (let at = 0; at < der.length; at++) {
    for (const bits of [0x01, 0x20, 0x80, 0xff]) {
      const changed = Buffer.from(der);
      changed[at]! ^= bits;
      yield [pem(label!, changed), `byte ${at} with ${bits}`];
    }
  }
}

const numberOf = (key: KeyObject) => key.export({ format: "jwk" }).d;

test("reads or refuses a certificate whatever byte of it is wrong, and takes no key of which one is", () => {
  const hostile = ["a.example", "x, DNS:y", 'q"uote', "new\nline", "nul\0x", "\u00ff", "\\u0041", '"', ""];
  const text = makeCertificate({
    subject: 'a"b\0',
    issuer: leaf,
    dns: hostile,
    ips: ["1.2.3.4"],
  }).certificate;
  let readable = 0;
  for (const [changed, what] of damaged(text)) {
    const parsed = parseChain(changed + leaf.certificate);
    if ("faults" in parsed) continue;
    readable++;
    const [details] = parsed.certificates.map(detailsOf);
    assert.match(details!.notBefore + details!.expiresAt, /^(\d{4}-\d\d-\d\dT[\d:.]+Z){2}$/, what);
    const shown = JSON.stringify(details);
    assert.ok(shown.isWellFormed() && !shown.includes("\\u0000"), what);
    chainFault(parsed.certificates);
  }
  assert.ok(readable > 100);
  const [certificate] = (parseChain(leaf.certificate) as ParsedChain).certificates;
  assert.ok(fits(certificate!, leaf.keys.privateKey));
  let opened = 0;
  for (const [changed, what] of damaged(leaf.privateKey)) {
    const key = parseKey(changed, undefined);
    if ("faults" in key) continue;
    opened++;
    // What says nothing about the number that signs may differ.
    const isSame = key.asymmetricKeyType === "ec" && numberOf(key) === numberOf(leaf.keys.privateKey);
    assert.equal(fits(certificate!, key), isSame, what);
  }
  assert.ok(opened > 10, "some look like a key");
});

test("keeps a key through the renewal of its certificate", async (t) => {
  const { call } = await configurationApp(t);
  const first = { name: "n", certificate: leaf.certificate, privateKey: leaf.privateKey };
  await call("POST", "/certificate/upsert", first);
  const renewed = makeCertificate({ subject: "renewed", issuer: middle, keys: leaf.keys });
  const body = { name: "n", certificate: renewed.certificate + middle.certificate };
  const answer = await call("POST", "/certificate/upsert", body);
  assert.deepEqual([answer.status, answer.data.hasPrivateKey, answer.data.version], [200, true, 2]);
  const open = await call("GET", `/certificate/decrypted/${answer.data.id}`);
  assert.equal(open.data.privateKey, leaf.privateKey);
});

test("takes certificates to trust in any order, when there is no key", async (t) => {
  const { call } = await configurationApp(t);
  const bundle = other.certificate + root.certificate + other.certificate;
  const answer = await call("POST", "/certificate/upsert", { name: "trusted", certificate: bundle });
  assert.equal(answer.status, 201);
  assert.deepEqual([answer.data.chain.length, answer.data.chain[1].isAuthority], [3, true]);
});

test("opens no key that was moved to another certificate or changed in the database", async (t) => {
  const app = await configurationApp(t);
  const make = async (name: string) =>
    (
      await app.call("POST", "/certificate/upsert", {
        name,
        certificate: leaf.certificate,
        privateKey: leaf.privateKey,
      })
    ).data.id;
  const [one, two] = [await make("one"), await make("two")];
  await app.pool.query(
    "update certificate_secret set sealed = (select sealed from certificate_secret where certificate_id = $1) where certificate_id = $2",
    [one, two],
  );
  assertRefused((await app.call("GET", `/certificate/decrypted/${two}`)).response, 422, "DECRYPT_FAILED");
  assert.equal((await app.call("GET", `/certificate/decrypted/${one}`)).status, 200);
});

test("of many that make one certificate at once, one creates it and the others change it", async (t) => {
  const { call } = await configurationApp(t);
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, i) =>
      call("POST", "/certificate/upsert", {
        name: "one",
        certificate: leaf.certificate,
        description: `${i}`,
      }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201]);
  assert.equal((await call("GET", "/certificate/name/one")).data.version, 8);
  const both = await call("POST", "/certificate/bulk-delete", { ids: [answers[0]!.data.id, newId()] });
  assert.deepEqual([both.data.deleted.length, both.data.notFound.length], [1, 1]);
});
