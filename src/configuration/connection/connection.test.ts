import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationApp } from "../../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

const postgres = {
  name: "orders",
  connectionType: "database-relational2",
  variables: {
    host: "db.example.com",
    port: "5432",
    database: "orders",
    username: "app",
    password: "s3cret-canary",
  },
};

test("keeps connections: made, read, changed, found, deleted", async (t) => {
  const { call } = await configurationApp(t);
  const made = await call("POST", "/connection/upsert", { ...postgres, description: "d" });
  assert.equal(made.status, 201, made.response.body);
  const { id, variables, createdAt, ...rest } = made.data;
  assert.match(variables.password, /^ENC\(v1\./);
  assert.deepEqual({ ...variables, password: "" }, { ...postgres.variables, password: "" });
  assert.deepEqual(rest, {
    name: "orders",
    connectionType: "database-relational2",
    category: "database",
    description: "d",
    version: 1,
    createdBy: "admin",
    updatedBy: "admin",
    updatedAt: createdAt,
  });
  for (const path of [`/connection/${id}`, `/connection/${id.toUpperCase()}`, "/connection/name/orders"]) {
    assert.deepEqual((await call("GET", path)).data, made.data, path);
  }
  const item = { id, name: "orders", connectionType: "database-relational2", category: "database" };
  assert.deepEqual((await call("POST", "/connection/search", {})).data, [item]);
  assert.deepEqual((await call("GET", "/connection/type/database-relational2")).data, [item]);
  assert.deepEqual((await call("GET", "/connection/category/database")).data, [item]);
  assert.deepEqual((await call("GET", "/connection/options")).body, [{ label: "orders", value: id }]);
  const open = await call("GET", `/connection/decrypted/${id}`);
  assert.deepEqual(open.data.variables, postgres.variables);
  assert.equal(
    (await call("POST", "/connection/decrypt", { encryptedValue: variables.password })).data.decryptedValue,
    "s3cret-canary",
  );
  const deleted = await call("DELETE", `/connection/delete/${id}`);
  assert.deepEqual([deleted.status, deleted.data], [200, null]);
  assertRefused((await call("GET", `/connection/${id}`)).response, 404, "NOT_FOUND");
  assertRefused((await call("DELETE", `/connection/delete/${newId()}`)).response, 404, "NOT_FOUND");
});
