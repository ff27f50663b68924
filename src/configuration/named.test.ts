import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate } from "../../test/helpers/certificates.ts";
import { configurationApp } from "../../test/helpers/configuration-app.ts";
import { jobOf } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { searchFields } from "../contract/search.ts";
import { newId } from "../lib/ids.ts";
import { apiTemplateFields } from "./api-template/store.ts";
import { certificateFields } from "./certificate/store.ts";
import { addRows, readRows } from "./dataset/read.ts";
import { datasetFields } from "./dataset/store.ts";
import { openFile, writeFile } from "./file/open.ts";
import { fileFields } from "./file/store.ts";

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

test("keeps what jobs use, by its id or its name, unless it is forced, and says where it is used", async (t) => {
  const app = await configurationApp(t);
  const { certificate } = makeCertificate({ subject: "a" });
  const upsert = async (noun: string, name: string, more: object) =>
    (await app.call("POST", `/${noun}/upsert`, { name, ...more })).data as { id: string };
  const file = async (name: string) => {
    const headers = { authorization: `Bearer ${app.admin}`, "content-type": "text/plain" };
    const url = `/file/upload?name=${name}`;
    return (await app.app.inject({ method: "POST", url, headers, payload: "x" })).json().data as {
      id: string;
    };
  };
  const columns = [{ name: "a", type: "string" }];
  const kept = {
    certificate: [await upsert("certificate", "used", { certificate }), "certificate"],
    dataset: [await upsert("dataset", "used", { columns }), "dataset"],
    file: [await file("used"), "file"],
    api: [await upsert("api", "used", { method: "GET", path: "/" }), "apiTemplate"],
  } as const;
  const job = await app.make(jobOf({ name: "nightly", tags: ["mine"] }));
  const other = await app.make(jobOf({ name: "hidden" }));
  const give = (jobId: string, input: object) =>
    app.pool.query(
      `update step set definition = (definition::jsonb || jsonb_build_object('input', $1::jsonb))::json
       where job_id = $2 and definition ->> 'key' = 'first'`,
      [JSON.stringify(input), jobId],
    );
  const limited = await app.principal("limited", ["*:*:*"], { tags: ["mine"] });
  const blind = await app.principal("blind", ["ConfigService:*:*"]);
  for (const [noun, [{ id }, field]] of Object.entries(kept)) {
    const usage = async (token = app.admin) => (await app.as(token, "GET", `/${noun}/${id}/usage`)).data;
    for (const input of [{}, { [field]: "other" }, { other: "used" }, { file: "used", action: "write" }]) {
      await give(job.id, input);
      assert.deepEqual(await usage(), { jobs: [], totalJobs: 0 }, `${noun} ${JSON.stringify(input)}`);
    }
    await give(job.id, { [field]: "used" });
    await give(other.id, { [field]: id.toUpperCase() });
    const mine = { id: job.id, name: "nightly", steps: ["first"] };
    assert.deepEqual(await usage(), {
      jobs: [{ ...mine, id: other.id, name: "hidden" }, mine],
      totalJobs: 2,
    });
    assert.deepEqual(await usage(limited.token), { jobs: [mine], totalJobs: 2 });
    assert.deepEqual(await usage(blind.token), { jobs: [], totalJobs: 2 });
    assertRefused((await app.call("GET", `/${noun}/${newId()}/usage`)).response, 404, "NOT_FOUND");
    const refused = await app.as(limited.token, "DELETE", `/${noun}/delete/${id}`);
    assertRefused(refused.response, 409, "INVALID_STATE");
    assert.match(refused.body.message, /is used by "nightly" and 1 more\. .*force=true/);
    const ids = [id.toUpperCase(), newId()];
    const both = await app.call("POST", `/${noun}/bulk-delete`, { ids });
    assertRefused(both.response, 409, "INVALID_STATE");
    assert.equal((await app.call("GET", `/${noun}/${id}`)).status, 200);
    if (noun === "certificate") {
      await give(job.id, { trust: "used" });
      assert.equal((await usage()).totalJobs, 2, "to trust it is to use it");
    }
    const forced = await app.call("POST", `/${noun}/bulk-delete?force=true`, { ids });
    assert.deepEqual(forced.data, { deleted: [id], notFound: [ids[1]] });
  }
});

test("the contract names the fields that can be asked for", () => {
  const maps = {
    searchCertificates: certificateFields,
    searchDatasets: datasetFields,
    searchFiles: fileFields,
    searchApiTemplates: apiTemplateFields,
  };
  for (const [name, fields] of Object.entries(maps)) {
    assert.deepEqual(Object.keys(fields).sort(), [...searchFields[name as keyof typeof maps]].sort(), name);
  }
});

test("a name that the database can't hold is that of nothing, also where an expression makes it", async (t) => {
  const app = await configurationApp(t);
  const steps = (message: string) => ({ name: "n", steps: [{ key: "a", type: "log", input: { message } }] });
  for (const nul of ["u0000", "x00", "000"]) {
    const saved = await app.call("POST", "/jobs", steps(`{{ vars["\\${nul}"] }}`));
    assertRefused(saved.response, 400, "VALIDATION_FAILED");
    assert.match(saved.body.message, /names the global variable/);
  }
  const name = "a\0b";
  assert.equal((await app.loadVariables([name])).size, 0);
  await assert.rejects(readRows(app.datasets, name, {}), { code: "NOT_FOUND" });
  await assert.rejects(addRows(app.datasets, name, [], "x"), { code: "NOT_FOUND" });
  await assert.rejects(openFile(app.files, name), { code: "NOT_FOUND" });
  const file = { name, contentType: "text/plain", by: "x" };
  await assert.rejects(writeFile(app.files, file, (async function* () {})()), { code: "VALIDATION_FAILED" });
});
