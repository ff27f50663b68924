import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate } from "../../test/helpers/certificates.ts";
import { configurationApp } from "../../test/helpers/configuration-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";

// What else the paths of these nouns could mean, and what people type.
const names = [
  ...["options", "search", "upsert", "upload", "bulk-delete", "delete", "health", "v2", "exists"],
  ...[
    "a/b",
    "søk",
    "%2F",
    "a?b#c&d=e",
    "' or 1=1 --",
    "{{ 7*7 }}",
    "👩‍👩‍👧‍👦",
    " x ",
    "x".repeat(200),
    "__proto__",
  ],
];

test("takes any name of certificates, datasets, files and API templates, and finds it by all ways", async (t) => {
  const app = await configurationApp(t);
  const { certificate } = makeCertificate({ subject: "a" });
  const bodies: Record<string, object> = {
    certificate: { certificate },
    dataset: { columns: [{ name: "a", type: "string" }] },
    api: { method: "GET", path: "/" },
  };
  async function keep(noun: string, name: string) {
    const file = {
      headers: { authorization: `Bearer ${app.admin}`, "content-type": "text/plain" },
      payload: "x",
    };
    const url = `/file/upload?name=${encodeURIComponent(name)}`;
    if (noun === "file") return (await app.app.inject({ method: "POST", url, ...file })).json().data;
    return (await app.call("POST", `/${noun}/upsert`, { name, ...bodies[noun] })).data;
  }
  for (const noun of ["certificate", "dataset", "file", "api"]) {
    for (const name of names) {
      const kept = await keep(noun, name);
      assert.equal(kept?.name, name, `${noun} ${name}`);
      const path = encodeURIComponent(name);
      const read = await app.call("GET", `/${noun}/name/${path}`);
      assert.deepEqual([read.status, read.data?.id], [200, kept.id], `${noun} ${name}`);
      assert.deepEqual(read.data, (await app.call("GET", `/${noun}/${kept.id}`)).data);
      assert.equal((await app.call("GET", `/${noun}/${path}/exists`)).data, true, `${noun} ${name}`);
      assert.equal((await app.call("GET", `/${noun}/${path}/exists?id=${kept.id}`)).data, false);
      const filters = { name: { operator: "and", constraints: [{ matchMode: "equals", value: name }] } };
      const found = await app.call("POST", `/${noun}/search`, { filters });
      assert.deepEqual(
        found.data.map(({ id }: { id: string }) => id),
        [kept.id],
        `${noun} ${name}`,
      );
    }
    const options = (await app.call("GET", `/${noun}/options`)).body;
    assert.deepEqual(
      options.map(({ label }: { label: string }) => label),
      [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
    const one = options.map(({ value }: { value: string }) => value);
    for (const { label, value } of options.slice(0, 2)) {
      assert.equal((await app.call("DELETE", `/${noun}/delete/${value}`)).status, 200, label);
      assertRefused((await app.call("GET", `/${noun}/${value}`)).response, 404, "NOT_FOUND");
    }
    const rest = await app.call("POST", `/${noun}/bulk-delete`, { ids: one });
    assert.deepEqual([rest.data.deleted, rest.data.notFound], [one.slice(2), one.slice(0, 2)]);
  }
  // Who did what to which, and nothing of what is in it.
  const kinds = new Set(app.trail.entries.map(({ target }) => target?.type));
  assert.ok(app.trail.entries.length >= 8 * names.length, [...kinds].join());
  assert.ok(!JSON.stringify(app.trail.entries).includes("BEGIN CERTIFICATE"));
});
