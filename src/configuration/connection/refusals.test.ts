import assert from "node:assert/strict";
import { test } from "node:test";
import type { InjectOptions } from "fastify";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

const ftp = { name: "ftp", connectionType: "ftp", variables: { host: "ftp.example.com", password: "p" } };
const rest = (variables: object) => ({ name: "r", connectionType: "rest-api", variables });
const search = (field: string, matchMode: string, value: unknown) => ({
  filters: { [field]: { operator: "and", constraints: [{ matchMode, value }] } },
});

test("refuses what it should at each address: who, what, which, how much and in what form", async (t) => {
  const app = await configurationApp(t);
  const made = await app.call("POST", "/connection/upsert", ftp);
  const { id, variables } = made.data;
  await app.call("POST", "/connection/upsert", { ...ftp, name: "taken" });
  const holder = async (name: string, ...authorities: string[]) =>
    (await app.principal(name, authorities)).token;
  const nobody = await holder("nobody");
  const reader = await holder("reader", "ConfigService:Connection:read");
  const writer = await holder("writer", "ConfigService:Connection:upsert");
  const deleter = await holder("deleter", "ConfigService:Connection:delete");
  const decrypter = await holder("decrypter", "ConfigService:Connection:decrypt");
  const all = await holder("all", "ConfigService:*:*");

  type Ask = [method: string, url: string, body?: object];
  const upsert: Ask = ["POST", "/connection/upsert", { ...ftp, name: "w" }];
  const tests: Ask[] = [
    ["POST", `/connection/${newId()}/test`],
    ["POST", "/connection/test", { ...ftp, name: "w" }],
  ];
  const one: Ask = ["DELETE", `/connection/delete/${newId()}`];
  const many: Ask = ["POST", "/connection/bulk-delete", { ids: [newId()] }];
  const decrypted: Ask = ["GET", `/connection/decrypted/${id}`];
  const decrypt: Ask = ["POST", "/connection/decrypt", { encryptedValue: variables.password }];
  const reads: Ask[] = [
    ["POST", "/connection/search", {}],
    ["GET", "/connection/ftp/exists"],
    ["GET", "/connection/type/ftp"],
    ["GET", "/connection/category/protocol"],
    ["GET", "/connection/options"],
    ["GET", `/connection/${id}/usage`],
  ];
  const anyone: Ask[] = [
    ["GET", `/connection/${id}`],
    ["GET", "/connection/name/ftp"],
    ["POST", "/connection/checkUniqueIdentifiers", { name: "ftp", connectionType: "ftp" }],
    ["GET", "/connection/types"],
  ];
  const everything = [upsert, ...tests, one, many, decrypted, decrypt, ...reads, ...anyone];

  // Whom the seed lets: each authority opens its own addresses, and no other.
  const mayCall = new Map<string, Ask[]>([
    [nobody, anyone],
    [reader, [...reads, ...anyone]],
    [writer, [upsert, ...tests, ...anyone]],
    [deleter, [one, many, ...anyone]],
    [decrypter, [decrypted, decrypt, ...anyone]],
    [all, everything],
  ]);
  for (const [token, asks] of mayCall) {
    for (const ask of everything) {
      const { status, response } = await app.as(token, ...ask);
      assert.equal(status === 403, !asks.includes(ask), `${ask[0]} ${ask[1]}: ${response.body}`);
    }
  }
  for (const ask of everything) {
    assertRefused((await app.as(undefined, ...ask)).response, 401, "UNAUTHENTICATED");
    assertRefused((await app.as("pawl_wrong", ...ask)).response, 401, "UNAUTHENTICATED");
  }

  const invalid: [body: object, ...paths: string[]][] = [
    [{}, "/name", "/connectionType"],
    [{ ...ftp, name: "" }, "/name"],
    [{ ...ftp, name: "x".repeat(201) }, "/name"],
    [{ ...ftp, name: "a\0" }, "/name"],
    [{ ...ftp, name: "a\ud800" }, "/name"],
    [{ ...ftp, connectionType: "ftpp" }, "/connectionType"],
    [{ ...ftp, connectionType: "constructor" }, "/connectionType"],
    [{ ...ftp, category: "x".repeat(101) }, "/category"],
    [{ ...ftp, description: "x".repeat(4001) }, "/description"],
    [{ ...ftp, id: "1" }, "/id"],
    [{ ...ftp, version: 1 }, "/version"],
    [{ ...ftp, variables: [] }, "/variables"],
    [{ ...ftp, variables: { host: "a", port: 21 } }, "/variables/port"],
    [{ ...ftp, variables: { host: "a", password: null } }, "/variables/password"],
    [
      { ...ftp, variables: { host: "a", port: "0", user: "u", "x-": "1" } },
      "/variables/port",
      "/variables/user",
      "/variables/x-",
    ],
    [{ ...ftp, variables: {} }, "/variables/host"],
    [{ name: "new", connectionType: "ftp" }, "/variables/host"],
    [{ ...ftp, variables: { host: "a", "a/b~c": "d" } }, "/variables/a~1b~0c"],
    [{ ...ftp, variables: { host: "a", password: "a\0" } }, "/variables/password"],
    [{ ...ftp, variables: { host: "a", __proto__: "x", constructor: "y" } }, "/variables/constructor"],
    [
      { ...ftp, variables: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, "1"])) },
      "/variables",
    ],
    [
      rest({ baseUrl: "a.example", authType: "digest", headers: "[]" }),
      "/variables/baseUrl",
      "/variables/authType",
      "/variables/headers",
    ],
    [{ name: "d", connectionType: "database-document", variables: { username: "u" } }, "/variables"],
  ];
  for (const [body, ...paths] of invalid) {
    const answer = await app.call("POST", "/connection/upsert", body);
    assertRefused(answer.response, 400, "VALIDATION_FAILED");
    assert.deepEqual(
      answer.body.error.details.map(({ path }: { path: string }) => path).sort(),
      paths.sort(),
    );
  }

  const table: [...Ask, number, string][] = [
    ["POST", "/connection/upsert?expectedVersion=0", ftp, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/upsert?force=true", ftp, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/upsert", { ...ftp, id: newId() }, 404, "NOT_FOUND"],
    ["POST", "/connection/upsert", { ...ftp, id, name: "taken" }, 409, "CONFLICT"],
    ["POST", "/connection/upsert?expectedVersion=7", ftp, 409, "CONFLICT"],
    ["GET", "/connection/1", undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/connection/${newId()}`, undefined, 404, "NOT_FOUND"],
    ["GET", `/connection/${newId()}/usage`, undefined, 404, "NOT_FOUND"],
    ["GET", "/connection/name/none", undefined, 404, "NOT_FOUND"],
    ["GET", "/connection/name/ftp?type=ssh", undefined, 404, "NOT_FOUND"],
    ["GET", "/connection/name/ftp?type=x", undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/connection/name/${"x".repeat(201)}`, undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/name/a%00b", undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/name/%ED%A0%80", undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/a%00b/exists", undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/ftp/exists?id=1", undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/type/none", undefined, 400, "VALIDATION_FAILED"],
    ["GET", "/connection/options?type=none", undefined, 400, "VALIDATION_FAILED"],
    ["DELETE", "/connection/delete/ftp", undefined, 400, "VALIDATION_FAILED"],
    ["DELETE", `/connection/delete/${newId()}`, undefined, 404, "NOT_FOUND"],
    ["DELETE", `/connection/delete/${id}?force=yes`, undefined, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/bulk-delete", {}, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/bulk-delete", { ids: [] }, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/bulk-delete", { ids: ["1"] }, 400, "VALIDATION_FAILED"],
    [
      "POST",
      "/connection/bulk-delete",
      { ids: Array.from({ length: 1001 }, newId) },
      400,
      "VALIDATION_FAILED",
    ],
    ["POST", "/connection/checkUniqueIdentifiers", { name: "ftp" }, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/search", search("variables", "contains", "p"), 400, "VALIDATION_FAILED"],
    ["POST", "/connection/search", search("connectionType", "contains", "f"), 400, "VALIDATION_FAILED"],
    ["POST", "/connection/search", search("name", "equals", "a\0"), 400, "VALIDATION_FAILED"],
    ["POST", "/connection/search", { sortBy: "variables" }, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/search", { size: 1001 }, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/decrypt", {}, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/decrypt", { encryptedValue: 1 }, 400, "VALIDATION_FAILED"],
    ["POST", "/connection/decrypt", { encryptedValue: "p" }, 422, "DECRYPT_FAILED"],
    ["GET", "/connection/decrypted/ftp", undefined, 400, "VALIDATION_FAILED"],
    ["GET", `/connection/decrypted/${newId()}`, undefined, 404, "NOT_FOUND"],
    ["PUT", "/connection/upsert", ftp, 405, "METHOD_NOT_ALLOWED"],
  ];
  for (const [method, url, body, status, code] of table) {
    assertRefused((await app.call(method, url, body)).response, status, code);
  }

  const raw = (contentType: string, payload: string) =>
    app.app.inject({
      method: "POST",
      url: "/connection/upsert",
      headers: { authorization: `Bearer ${app.admin}`, "content-type": contentType },
      payload,
    } as InjectOptions);
  assertRefused(await raw("application/json", "{"), 400, "MALFORMED_JSON");
  assertRefused(await raw("application/yaml", "name: a"), 415, "UNSUPPORTED_MEDIA_TYPE");
  assertRefused(
    await raw("application/json", JSON.stringify({ ...ftp, description: "x".repeat(1024 ** 2) })),
    413,
    "PAYLOAD_TOO_LARGE",
  );
  assert.deepEqual((await app.call("GET", `/connection/${id}`)).data, made.data, "nothing was changed");
});
