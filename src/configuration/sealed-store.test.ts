import assert from "node:assert/strict";
import { test } from "node:test";
import { configurationApp } from "../../test/helpers/configuration-app.ts";
import { configurationSecrets } from "../compose-configuration.ts";
import type { SealedItem, SealedSource } from "../vault/sealed-source.ts";

test("shows rotation every secret once, in an order that lasts, and puts nothing over what was changed", async (t) => {
  const app = await configurationApp(t);
  const texts = new Map<string, string>();
  for (let n = 0; n < 12; n++) {
    const variables = { host: "h", username: "u", password: `p${n}`, passphrase: `q${n}` };
    const made = await app.call("POST", "/connection/upsert", {
      name: `c${n}`,
      connectionType: "ssh",
      variables,
    });
    texts.set(`${made.data.id} password`, `p${n}`).set(`${made.data.id} passphrase`, `q${n}`);
    const variable = await app.call("POST", "/global-variable/upsert", {
      name: `v${n}`,
      secret: true,
      value: `v${n}`,
    });
    texts.set(`${variable.data.id} value`, `v${n}`);
    await app.call("POST", "/global-variable/upsert", { name: `plain${n}`, value: n });
  }
  const seen = new Map<string, string>();
  for (const source of configurationSecrets(app.pool)) {
    if (!["connection", "variable"].includes(source.purpose)) continue;
    assert.equal(await source.count(app.vault.activeKeyId), 0);
    assert.deepEqual(await source.batch(app.vault.activeKeyId, undefined, 10), {
      items: [],
      next: undefined,
    });
    let left = await source.count("");
    let cursor: string | undefined;
    do {
      const { items, next } = await source.batch("", cursor, 5);
      for (const { record, field, sealed } of items) {
        const text = app.vault.open(source.purpose, { record, field }, sealed);
        assert.ok(!seen.has(`${record} ${field}`));
        seen.set(`${record} ${field}`, text);
        left--;
        const again = app.vault.seal(source.purpose, { record, field }, text);
        assert.equal(await source.replace(record, field, sealed, again), true);
        assert.equal(await source.replace(record, field, sealed, again), false, "it is not there any more");
        assert.equal(await source.replace(record, "other", again, sealed), false);
      }
      await source.replaceAll!(await manyOf(app, source, items));
      cursor = next;
    } while (cursor !== undefined);
    assert.equal(left, 0);
    for (const { record, field, sealed } of (await source.batch("", undefined, 1000)).items) {
      assert.equal(app.vault.open(source.purpose, { record, field }, sealed), seen.get(`${record} ${field}`));
    }
  }
  assert.deepEqual(new Map([...seen].sort()), new Map([...texts].sort()));
});

/** Changes of what stands there now; of every third value by then another stands, and none of those may be written. */
async function manyOf(
  app: Awaited<ReturnType<typeof configurationApp>>,
  source: SealedSource,
  items: SealedItem[],
) {
  const now = (await source.batch("", undefined, 1000)).items;
  return Promise.all(
    items.map(async ({ record, field, sealed: old }, n) => {
      const { sealed } = now.find((item) => item.record === record && item.field === field)!;
      const text = app.vault.open(source.purpose, { record, field }, sealed);
      const anew = app.vault.seal(
        source.purpose,
        { record, field },
        n % 3 === 0 ? "must not be written" : text,
      );
      return { record, field, sealed: n % 3 === 0 ? old : sealed, anew };
    }),
  );
}

test("passes over what a request holds, and waits for nobody", async (t) => {
  const app = await configurationApp(t);
  const ids: string[] = [];
  for (const name of ["held", "free"]) {
    const made = await app.call("POST", "/global-variable/upsert", { name, secret: true, value: "before" });
    ids.push(made.data.id);
  }
  const source = configurationSecrets(app.pool).find(({ purpose }) => purpose === "variable")!;
  const { items } = await source.batch("", undefined, 10);
  const changes = items.map((item) => ({
    ...item,
    anew: app.vault.seal("variable", { record: item.record, field: item.field }, "after"),
  }));
  const client = await app.pool.connect();
  await client.query("begin");
  // So that who does wait fails here instead of waiting for ever.
  await client.query("set local idle_in_transaction_session_timeout = '3s'");
  client.on("error", () => {});
  await client.query("update global_variable_secret set sealed = sealed where variable_id = $1", [ids[0]]);
  try {
    await source.replaceAll!(changes);
    await client.query("commit");
  } finally {
    client.release(true);
  }
  const values = await app.loadVariables(["held", "free"]);
  assert.deepEqual([values.get("held")?.value, values.get("free")?.value], ["before", "after"]);
});

test("a secret that is sealed anew while its connection is changed is neither lost nor put back", async (t) => {
  const app = await configurationApp(t);
  const variables = { host: "h", username: "u", password: "p" };
  const made = await app.call("POST", "/connection/upsert", { name: "c", connectionType: "ssh", variables });
  const { id } = made.data;
  const [source] = configurationSecrets(app.pool);
  const [item] = (await source!.batch("", undefined, 10)).items;
  const anew = app.vault.seal("connection", { record: id, field: "password" }, "p");
  await source!.replace(id, "password", item!.sealed, anew);
  const sent = { name: "c", connectionType: "ssh", description: "d", variables: made.data.variables };
  const changed = await app.call("POST", "/connection/upsert", sent);
  assert.equal(changed.status, 200, "the old spelling is still one of this field");
  assert.equal(changed.data.variables.password, anew);
  assert.equal((await app.call("GET", `/connection/decrypted/${id}`)).data.variables.password, "p");
});
