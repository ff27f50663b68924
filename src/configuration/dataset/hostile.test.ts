import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { datasetApp, where } from "../../../test/helpers/dataset-app.ts";
import { beginUpload, until } from "../../../test/helpers/raw-upload.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { fits } from "./cell.ts";

test("keeps a million cells, and finds among them", async (t) => {
  const app = await datasetApp(t);
  const row = (i: number) =>
    `${i},name ${i},${i / 4},2026-01-${String((i % 28) + 1).padStart(2, "0")},a,,"b, c",true,x y,-1`;
  const rows = Array.from({ length: 100_000 }, (_, i) => row(i));
  const text = `id,name,amount,day,e,f,g,h,i,j\n${rows.join("\n")}\n`;
  const { data, response } = await app.upload("large", text);
  assert.equal(data?.rowCount, 100_000, response.body.slice(0, 300));
  const found = await app.rows(data.id, { ...where("amount", "gte", 24_999), sortBy: "name", size: 2 });
  assert.deepEqual(
    found.map((row) => row.id),
    [99_996, 99_997],
  );
  const exported = (await app.csv(data.id)).body;
  assert.ok(exported.replaceAll("\r\n", "\n") === text, "to the letter");
  const more = await app.call("POST", `/dataset/${data.id}/rows`, { rows: [{ id: 1 }] });
  assertRefused(more.response, 413, "PAYLOAD_TOO_LARGE");
});

test("shows nothing of a table that is under way or breaks off, and removes what it wrote", async (t) => {
  const app = await datasetApp(t);
  await app.upload("kept", "x\n1\n");
  const half = `a\n${"12345\n".repeat(20_000)}`;
  const count = async (table: string) =>
    (await app.pool.query(`select count(*) as n from ${table}`)).rows[0].n as number;
  const sockets = await Promise.all(
    ["kept", "fresh"].map((name) =>
      beginUpload(app, `/dataset/upload?name=${name}`, half, { announced: 500_000, type: "text/csv" }),
    ),
  );
  await until(async () => (await count("dataset_row")) > 20_000);
  const { data } = await app.call("POST", "/dataset/search", {});
  assert.deepEqual(
    data.map((one: { name: string; rowCount: number }) => [one.name, one.rowCount]),
    [["kept", 1]],
  );
  for (const socket of sockets) socket.destroy();
  await until(async () => (await count("stored_content")) === 1 && (await count("dataset_row")) === 1);
  assert.deepEqual(await app.rows(data[0].id), [{ x: 1 }]);
  assert.equal((await app.call("GET", "/dataset/fresh/exists")).data, false);
  assert.ok(!/"level":[56]0/.test(app.log()), "that a client goes away is no fault of ours");
});

test("appends to the one table or to the other while it is replaced, never to half of it", async (t) => {
  const app = await datasetApp(t);
  const { id } = (await app.upload("t", "n\n0\n")).data;
  const work = Array.from({ length: 30 }, (_, n) =>
    n % 3 === 0
      ? app.upload("t", `n\n${n}\n${n}\n`)
      : app.call("POST", `/dataset/${id}/rows`, { rows: [{ n: -n }, { n: -n }] }),
  );
  for (const { status, response } of await Promise.all(work)) assert.equal(status, 200, response.body);
  const numbers = (await app.rows(id)).map(({ n }) => Number(n));
  assert.ok(numbers[0]! >= 0 && numbers[0] === numbers[1], "what was uploaded last");
  for (let i = 2; i < numbers.length; i += 2) {
    assert.ok(numbers[i]! < 0 && numbers[i] === numbers[i + 1], "all of an append, or none");
  }
  const { data } = await app.call("GET", `/dataset/${id}`);
  assert.deepEqual([data.rowCount, data.version], [numbers.length, 31]);
});

/** Texts that look like values of a type, most of them right. */
const nearly = {
  integer: fc.oneof(fc.maxSafeInteger().map(String), fc.stringMatching(/^[ \t]{0,2}-?\d{1,17}[ \t]{0,2}$/)),
  number: fc.oneof(
    fc.double().map(String),
    fc.stringMatching(/^[ \t]?-?\d{1,20}(\.\d{0,20})?([eE][+-]?\d{1,4})?[ \t]?$/),
    fc.constantFrom(
      "1e308",
      "1.8e308",
      "1e309",
      "-2.3e-308",
      "2.2e-308",
      "5e-324",
      "0e9999",
      "-0.0",
      "0e-400",
    ),
  ),
  boolean: fc.constantFrom("true", "FALSE", " True", "t", "yes", "1", "false\t", "tru e"),
  date: fc.stringMatching(/^[ ]?[0-2][0-9]{3}-[01][0-9]-[0-3][0-9][ ]?$/),
  timestamp: fc.stringMatching(
    /^ ?[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,10})?)?(Z|[+-][01][0-9]:[0-6][0-9])$/,
  ),
};

test("reads every value that it takes, and the database reads it too", async (t) => {
  const app = await datasetApp(t);
  for (const type of Object.keys(nearly) as (keyof typeof nearly)[]) {
    const texts = [...new Set(fc.sample<string>(nearly[type], { numRuns: 2000, seed: 1 }))].filter((text) =>
      fits(type, text),
    );
    assert.ok(texts.length >= 4, `${type}: ${texts.length}`);
    const rows = JSON.stringify(texts.map((c) => ({ c })));
    const { data, response } = await app.upload(type, rows, {
      type: "application/json",
      query: `&column=c:${type}`,
    });
    assert.equal(data?.rowCount, texts.length, response.body);
    const sorted = (await app.rows(data.id, { sortBy: "c" })).map(({ c }) => c);
    const expected = [...sorted].sort((a, b) => Number(sortValue(a)) - Number(sortValue(b)));
    assert.deepEqual(sorted.map(sortValue), expected.map(sortValue), type);
  }
});

/** As a number that sorts as it does. */
function sortValue(cell: unknown): number {
  return typeof cell === "string" ? Date.parse(cell) : Number(cell);
}

test("filters and sorts by columns whatever they are called", async (t) => {
  const app = await datasetApp(t);
  const names = [
    "relevance",
    "toString",
    "hasOwnProperty",
    "id",
    'a"b',
    "a'; drop table dataset --",
    "a/b~c",
    "søk 🐎",
  ];
  const cells = (n: number) => Object.fromEntries(names.map((name) => [name, n]));
  const { data } = await app.upload("odd", JSON.stringify([cells(2), cells(1)]), {
    type: "application/json",
  });
  for (const name of names) {
    assert.deepEqual(await app.rows(data.id, where(name, "gte", 2)), [cells(2)], name);
    assert.deepEqual((await app.rows(data.id, { sortBy: name }))[0], cells(1), name);
  }
  const wide = Array.from({ length: 200 }, (_, i) => `${"x".repeat(90)}${i}`);
  const table = await app.upload("wide", wide.join());
  assert.equal(table.data.columns.length, 200);
  const filters = Object.fromEntries(
    Array.from({ length: 60 }, (_, i) => [`y${i}`, where("x", "equals", 1).filters.x]),
  );
  const { response } = await app.call("POST", `/dataset/${table.data.id}/rows/search`, { filters });
  assertRefused(response, 400, "VALIDATION_FAILED");
  assert.ok(response.body.length < 300_000, String(response.body.length));
});
