import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { mcpServerSecrets } from "../../../src/registry/sealed-store.ts";
import { fromVaultText, readSealed, toVaultText } from "../../../src/vault/sealed-text.ts";
import { registryApp } from "../../helpers/registry-app.ts";
import { startTestPawl } from "../../helpers/running-pawl.ts";
import { toolServer } from "../agent/tool-server.ts";

const custom = (name: string, n: number) => ({
  name,
  url: "http://127.0.0.1:9/mcp",
  authType: "CUSTOM" as const,
  authConfig: {
    headers: Object.fromEntries(Array.from({ length: n }, (_, i) => [`x-${i}`, `value ${i}`])),
    more: ["a"],
  },
});

test("shows every credential to a rotation, and puts a new one only where the old one still stands", async (t: TestContext) => {
  const { call, pool, deps } = await registryApp(t);
  const source = mcpServerSecrets(pool);
  const ids: string[] = [];
  for (const [name, n] of [
    ["a", 3],
    ["b", 0],
    ["c", 2],
  ] as const) {
    ids.push((await call("POST", "", custom(name, n))).data.id);
  }
  const typed = { authType: "BEARER", authConfig: { token: "vault:v1.nothing" } };
  await call("POST", "", { name: "typed by a person", url: "http://127.0.0.1:9/mcp", ...typed });
  assert.deepEqual([await source.count(""), await source.count(deps.vault.activeKeyId)], [5, 0]);
  const first = await source.batch("", undefined, 1);
  assert.deepEqual(
    first.items.map(({ record, field }) => [record, field]),
    [0, 1, 2].map((i) => [ids[0], `/headers/x-${i}`]),
  );
  const rest = await source.batch("", first.next, 100);
  assert.deepEqual([rest.items.length, rest.next], [2, undefined]);

  const [item] = first.items;
  const { record, field, sealed } = item!;
  const anew = deps.vault.seal("mcp", { record, field }, "another");
  assert.equal(await source.replace(record, field, sealed, anew), true);
  assert.equal(
    await source.replace(record, field, sealed, anew),
    false,
    "the old one does not stand there any more",
  );
  const { rows } = await pool.query("select auth_config from mcp_server where id = $1", [record]);
  assert.equal(rows[0].auth_config.headers["x-0"], toVaultText(anew));
  assert.deepEqual(rows[0].auth_config.more, ["a"]);
});

test("calls servers with credentials that a rotation has sealed anew", async (t: TestContext) => {
  const tools = await toolServer();
  t.after(() => tools[Symbol.asyncDispose]());
  await using pawl = await startTestPawl();
  const { client } = pawl;
  const bearer = { authType: "BEARER" as const, authConfig: { token: "the token" } };
  const { id } = (await client.registerMcpServer({ body: { name: "tools", url: tools.url, ...bearer } }))
    .data;
  const database = new pg.Client({ connectionString: pawl.databaseUrl });
  await database.connect();
  const keyOf = async () => {
    const { rows } = await database.query("select auth_config ->> 'token' as token from mcp_server");
    return readSealed(fromVaultText(rows[0].token)!)!.keyId;
  };
  const before = await keyOf();
  await client.rotateVault();
  while (!(await client.readVault()).data.rotation?.finishedAt) await delay(20);
  assert.notEqual(await keyOf(), before);
  await database.end();
  assert.equal((await client.discoverMcpServer({ params: { id } })).data.status, "success");
  assert.equal(tools.state.authorization, "Bearer the token");
});
