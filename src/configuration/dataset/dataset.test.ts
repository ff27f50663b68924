import assert from "node:assert/strict";
import { test } from "node:test";
import { datasetApp, where } from "../../../test/helpers/dataset-app.ts";
import { assertRefused } from "../../../test/helpers/walk-routes.ts";
import { newId } from "../../lib/ids.ts";

const orders = [
  "id,customer,amount,paid,day,at,zip,note",
  '1,"Åse, Oslo",10.50,true,2026-01-31,2026-01-31T09:30:00Z,0150,',
  '2,Bob,-3,FALSE,2026-02-01,2026-01-31T23:30:00.5+02:00,10115,"said ""hi""\nthere"',
  "3,Cy,1e3,true,2025-12-24,2025-12-24T00:00Z,02,100%",
  "",
].join("\r\n");

test("keeps datasets: uploaded, read, found, filtered, exported, replaced, deleted", async (t) => {
  const app = await datasetApp(t);
  const made = await app.upload("a/b søk", orders, { query: "&description=d" });
  assert.equal(made.status, 201, made.response.body);
  const { id, createdAt, updatedAt, columns, ...rest } = made.data;
  assert.deepEqual(rest, {
    name: "a/b søk",
    description: "d",
    rowCount: 3,
    size: 164,
    version: 1,
    createdBy: "admin",
    updatedBy: "admin",
  });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual(
    columns.map(({ name, type }: { name: string; type: string }) => `${name}:${type}`),
    ["id:integer", "customer:string", "amount:number", "paid:boolean", "day:date", "at:timestamp"].concat(
      "zip:string",
      "note:string",
    ),
  );
  assert.deepEqual((await app.rows(id))[1], {
    id: 2,
    customer: "Bob",
    amount: -3,
    paid: false,
    day: "2026-02-01",
    at: "2026-01-31T21:30:00.500Z",
    zip: "10115",
    note: 'said "hi"\nthere',
  });
  for (const path of [`/dataset/${id}`, `/dataset/name/${encodeURIComponent("a/b søk")}`]) {
    assert.deepEqual((await app.call("GET", path)).data, made.data, path);
  }
  assert.deepEqual((await app.call("GET", "/dataset/options")).body, [{ label: "a/b søk", value: id }]);
  assert.deepEqual((await app.call("POST", "/dataset/search", { searchText: "SØK" })).data, [made.data]);
  assert.equal((await app.call("GET", `/dataset/${encodeURIComponent("a/b søk")}/exists`)).data, true);

  const ids = async (body: object) => (await app.rows(id, body)).map((row) => row.id);
  for (const [body, expected] of [
    [where("amount", "gt", 5), [1, 3]],
    [where("amount", "between", [-3, 10.5]), [1, 2]],
    [where("paid", "equals", false), [2]],
    [where("day", "gte", "2026-01-31"), [1, 2]],
    [where("at", "lt", "2026-01-31T21:31:00Z"), [1, 2, 3]],
    [where("at", "equals", "2026-01-31T21:30:00.500Z"), [2]],
    [where("customer", "contains", "åSE"), [1]],
    [where("note", "endsWith", "%"), [3]],
    [where("note", "contains", "_"), []],
    [where("note", "equals", "x' or 1=1 --"), []],
    [where("zip", "equals", "02"), [3]],
    [where("note", "notContains", "hi"), [1, 3]],
    [where("_row", "gte", 2), [2, 3]],
    [{ searchText: "HI there" }, [2]],
    [{ sortBy: "amount", sortOrder: "desc" }, [3, 1, 2]],
    [{ sortBy: "paid", sortOrder: "desc" }, [3, 1, 2]],
    [{ sortBy: "day" }, [3, 1, 2]],
    [{ sortOrder: "desc", size: 2, page: 1 }, [1]],
  ] as const) {
    assert.deepEqual(await ids(body), expected, JSON.stringify(body));
  }

  const exported = await app.csv(id);
  assert.equal(exported.headers["content-type"], "text/csv; charset=utf-8");
  assert.match(String(exported.headers["content-disposition"]), /^attachment; filename="a_b s_k.csv"/);
  assert.equal(exported.body, orders.replace("FALSE", "FALSE"), "to the letter");
  const again = await app.upload("again", exported.body);
  assert.deepEqual(await app.rows(again.data.id), await app.rows(id));
  const asJson = await app.csv(id, "?format=json");
  assert.deepEqual(asJson.json(), await app.rows(id));
  const back = await app.upload("json", asJson.body, { type: "application/json" });
  assert.deepEqual(await app.rows(back.data.id), await app.rows(id));
  assert.equal(
    back.data.columns.map((column: { type: string }) => column.type).join(),
    columns.map((column: { type: string }) => column.type).join(),
  );

  const replaced = await app.upload("a/b søk", "x\n1\n");
  assert.deepEqual(
    [replaced.status, replaced.data.id, replaced.data.version, replaced.data.description],
    [200, id, 2, "d"],
  );
  assert.deepEqual(await app.rows(id), [{ x: 1 }]);
  assert.deepEqual((await app.call("DELETE", `/dataset/delete/${id}`)).data, null);
  assertRefused((await app.call("GET", `/dataset/${id}`)).response, 404, "NOT_FOUND");
  assertRefused((await app.csv(id)) as never, 404, "NOT_FOUND");
});

test("guesses the narrowest type that every cell has, and takes the one that is given", async (t) => {
  const app = await datasetApp(t);
  const typesOf = async (cells: string[], query = "") => {
    const { data, response } = await app.upload("g", ["c", ...cells].join("\n"), { query });
    return data?.columns[0].type ?? response.json().error.details[0].message;
  };
  for (const [cells, type] of [
    [["1", "-0", "900719925474099"], "integer"],
    [["1", "2.5"], "number"],
    [["1", " 2 "], "integer"],
    [["01"], "string"],
    [["9007199254740993"], "string"],
    [["1e400"], "string"],
    [["1e-400"], "string"],
    [["4.9e-324"], "string"],
    [[".5"], "string"],
    [["NaN"], "string"],
    [["Infinity"], "string"],
    [["0x10"], "string"],
    [["true", "False"], "boolean"],
    [["true", "1"], "string"],
    [["2026-02-28"], "date"],
    [["2026-02-30"], "string"],
    [["2024-02-29", "2000-02-29"], "date"],
    [["1900-02-29"], "string"],
    [["2026-13-01"], "string"],
    [["0000-01-01"], "string"],
    [["2026-02-28T10:00:00Z", "2026-02-28T10:00+01:00"], "timestamp"],
    [["2026-02-28T10:00:00"], "string"],
    [["2026-02-28T24:00:00Z"], "string"],
    [["2026-02-28T10:00:00+15:00"], "string"],
    [["2026-02-28", "2026-02-28T10:00:00Z"], "string"],
    [["x", ""], "string"],
  ] as const) {
    assert.equal(await typesOf([...cells]), type, cells.join(" "));
  }
  assert.equal(
    (await app.upload("e", "c,d\n,1\n,2\n")).data.columns[0].type,
    "string",
    "a column without cells",
  );
  assert.equal(await typesOf(["1"], "&column=c:string"), "string");
  assert.equal(await typesOf(["1"], "&column=c:number"), "number");
  assert.match(
    await typesOf(["1", "x"], "&column=c:integer"),
    /row 2 \(line 3\), column "c" has "x", which is not a whole/,
  );
  assert.match(await typesOf(["1"], "&column=d:integer"), /there is no column "d"/);
  assert.match(await typesOf(["1"], "&column=c:int"), /Did you mean "integer"|types are string/);
  const odd = await app.upload("o", "a:b\n7\n", { query: `&column=${encodeURIComponent("a:b:string")}` });
  assert.deepEqual(odd.data.columns, [{ name: "a:b", type: "string" }]);
});

test("reads what spreadsheets and programs write", async (t) => {
  const app = await datasetApp(t);
  const text = 'name;n\r\n"Åse";1\r\nBo;2\r\n';
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const [what, sent] of [
    ["UTF-8", text],
    ["a BOM", `\ufeff${text}`],
    ["UTF-16, little-endian", utf16],
    ["UTF-16, big-endian", Buffer.from(utf16).swap16()],
    ["LF", text.replaceAll("\r\n", "\n")],
    ["tabs", text.replaceAll(";", "\t")],
    ["pipes", text.replaceAll(";", "|")],
    ["blank lines", text.replaceAll("\r\n", "\r\n\r\n")],
    ["no end of the last line", text.trimEnd()],
  ] as const) {
    const { data, response } = await app.upload(what, sent);
    assert.ok(data, `${what}: ${response.body}`);
    assert.deepEqual(
      await app.rows(data.id),
      [
        { name: "Åse", n: 1 },
        { name: "Bo", n: 2 },
      ],
      what,
    );
  }
  const bare = await app.upload("bare", "1;x\n2;y\n", { query: "&header=false&delimiter=semicolon" });
  assert.deepEqual((await app.rows(bare.data.id))[0], { column_1: 1, column_2: "x" });
  const unnamed = await app.upload("unnamed", ",b\n1,2\n");
  assert.deepEqual((await app.rows(unnamed.data.id))[0], { column_1: 1, b: 2 });

  const lines = '{"a":1,"b":"x"}\n{"b":"y","c":true}\n{}\n';
  const expected = [
    { a: 1, b: "x", c: null },
    { a: null, b: "y", c: true },
    { a: null, b: null, c: null },
  ];
  for (const sent of [
    lines,
    `[${lines.trim().split("\n").join(",")}]`,
    ` [ \n${lines.trim().split("\n").join("\n,\n")} ]\n`,
  ]) {
    const { data, response } = await app.upload("json", sent, { type: "application/json" });
    assert.ok(data, response.body);
    assert.deepEqual(await app.rows(data.id), expected);
  }
  const mixed = '[{"v":1},{"v":"1"},{"v":"}]{\\"\\\\"}]';
  const { data } = await app.upload("mixed", mixed, { type: "application/x-ndjson" });
  assert.deepEqual(
    (await app.rows(data.id)).map((row) => row.v),
    ["1", "1", '}]{"\\'],
  );
  const texts = await app.upload("texts", '[{"v":"1"},{"v":"2"}]', { type: "application/json" });
  assert.equal(texts.data.columns[0].type, "string", "what JSON has as a text stays one");
});

test("refuses tables that are not right, and names row and column", async (t) => {
  const app = await datasetApp(t);
  await app.upload("kept", "x\n1\n");
  const json = "application/json";
  const bad: [string, Buffer | string, string, number, string, RegExp][] = [
    [
      "ragged rows",
      "a,b\n1,2\n1\n1,2,3\n",
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /row 2 \(line 3\) has 1 cells, and there are 2/,
    ],
    [
      "two columns of one name",
      "a,a\n1,2\n",
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /two columns are named "a"/,
    ],
    ["nothing", "", "text/csv", 400, "VALIDATION_FAILED", /empty/],
    [
      "an open quote",
      'a,b\n"1,2\n3,4\n',
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /quote is opened and never closed/,
    ],
    ["a quote in a cell", 'a,b\n1"x",2\n', "text/csv", 400, "VALIDATION_FAILED", /line 2/],
    ["text after a quote", 'a,b\n"1"x,2\n', "text/csv", 400, "VALIDATION_FAILED", /closing quote/],
    ["a NUL", "a\nx\0y\n", "text/csv", 400, "VALIDATION_FAILED", /row 1 \(line 2\), column "a" contains/],
    ["a NUL in a name", "a\0b\n1\n", "text/csv", 400, "VALIDATION_FAILED", /name of a column/],
    ["Latin-1", Buffer.from("a\n\xe5\n", "latin1"), "text/csv", 400, "VALIDATION_FAILED", /not valid UTF-8/],
    [
      "half of a UTF-16 text",
      Buffer.from([0xff, 0xfe, 0x61]),
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /UTF-16/,
    ],
    [
      "a ZIP (a spreadsheet)",
      Buffer.from("PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0\xb5\xff", "latin1"),
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /./,
    ],
    [
      "a column that no row can have",
      "__proto__\n1\n",
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /no column can have/,
    ],
    ["a long name", `${"x".repeat(101)}\n1\n`, "text/csv", 400, "VALIDATION_FAILED", /100 characters/],
    [
      "a cell of 100 KB",
      `a\n${"x".repeat(100_000)}\n`,
      "text/csv",
      400,
      "VALIDATION_FAILED",
      /65536 characters/,
    ],
    ["a cell of 10 MB", `a\n"${"x".repeat(10_000_000)}"\n`, "text/csv", 400, "VALIDATION_FAILED", /too long/],
    [
      "201 columns",
      Array.from({ length: 201 }, (_, i) => `c${i}`).join(),
      "text/csv",
      413,
      "PAYLOAD_TOO_LARGE",
      /200 columns/,
    ],
    ["100,001 rows", `a\n${"1\n".repeat(100_001)}`, "text/csv", 413, "PAYLOAD_TOO_LARGE", /100000 rows/],
    [
      "33 MiB",
      `a\n${`${"x".repeat(1023)}\n`.repeat(33 * 1024)}`,
      "text/csv",
      413,
      "PAYLOAD_TOO_LARGE",
      /32 MiB/,
    ],
    ["a list of lists", "[[1,2]]", json, 400, "MALFORMED_JSON", /row 1 is not an object/],
    ["a text", '"x"', json, 400, "MALFORMED_JSON", /not an object/],
    ["JSON that is cut off", '[{"a":1},{"a":', json, 400, "MALFORMED_JSON", /ends within row 2/],
    ["an array that is cut off", '[{"a":1}', json, 400, "MALFORMED_JSON", /before the \]/],
    ["a comma too few", '[{"a":1}{"a":2}]', json, 400, "MALFORMED_JSON", /comma is missing before row 2/],
    ["a comma too many", '[{"a":1},]', json, 400, "MALFORMED_JSON", /row 2/],
    ["something behind", '[{"a":1}] x', json, 400, "MALFORMED_JSON", /follows/],
    ["JSON that is none within", '[{"a":tru}]', json, 400, "MALFORMED_JSON", /row 1 is not valid/],
    [
      "a nested value",
      '[{"a":{"b":1}}]',
      json,
      400,
      "VALIDATION_FAILED",
      /row 1, column "a" has a list or an object/,
    ],
    ["a number that would change", '[{"a":12345678901234567890}]', json, 400, "VALIDATION_FAILED", /row 1/],
    ["a lone surrogate", '[{"a":"\\ud800"}]', json, 400, "VALIDATION_FAILED", /row 1/],
    ["__proto__", '[{"__proto__":1}]', json, 400, "VALIDATION_FAILED", /not allowed/],
    ["deep nesting", `[{"a":${"[".repeat(1_000_000)}`, json, 400, "MALFORMED_JSON", /deeper than 64/],
    [
      "a row without end",
      `[{"a":"${"x".repeat(5_000_000)}`,
      json,
      400,
      "MALFORMED_JSON",
      /longer than 1 MiB/,
    ],
    [
      "a row of a million keys",
      `[{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()}}]`,
      json,
      413,
      "PAYLOAD_TOO_LARGE",
      /200 columns/,
    ],
    ["no type of ours", "a\n1\n", "application/vnd.ms-excel", 415, "UNSUPPORTED_MEDIA_TYPE", /text\/csv/],
  ];
  for (const [what, sent, type, status, code, message] of bad) {
    const { response } = await app.upload("kept", sent, { type });
    assertRefused(response as never, status, code);
    assert.match(response.json().message, message, what);
  }
  const many = await app.upload("kept", `a,b\n${"x,y\n".repeat(50)}`, {
    query: "&column=a:number&column=b:date",
  });
  assert.equal(many.body.error.details.length, 20);
  assert.deepEqual(many.body.error.details[1].path, "/rows/0/b");
  const kept = await app.call("GET", "/dataset/name/kept");
  assert.deepEqual([kept.data.version, kept.data.rowCount], [1, 1]);
  const { rows } = await app.pool.query("select count(*) as contents from stored_content");
  assert.equal(rows[0].contents, 1, "nothing is left of what was refused");
});

test("refuses who may not, what is not there, and what is taken", async (t) => {
  const app = await datasetApp(t);
  const { data } = await app.upload("one", "x\n1\n");
  await app.upload("two", "x\n1\n");
  const reader = await app.principal("reader", ["ConfigService:Dataset:read"]);
  const writer = await app.principal("writer", ["ConfigService:Dataset:upsert"]);
  const id = data.id as string;
  const columns = [{ name: "x", type: "integer" }];
  const upsert = (body: object) => ["POST", "/dataset/upsert", body] as const;
  const table: [string | undefined, readonly [string, string, object?], number, string, RegExp?][] = [
    [undefined, ["GET", `/dataset/${id}`], 401, "UNAUTHENTICATED"],
    [undefined, ["POST", "/dataset/upload?name=x", {}], 401, "UNAUTHENTICATED"],
    [reader.token, upsert({ name: "n", columns }), 403, "FORBIDDEN"],
    [reader.token, ["POST", "/dataset/upload?name=x", {}], 403, "FORBIDDEN"],
    [reader.token, ["POST", `/dataset/${id}/rows`, { rows: [{ x: 1 }] }], 403, "FORBIDDEN"],
    [reader.token, ["DELETE", `/dataset/delete/${id}`], 403, "FORBIDDEN"],
    [writer.token, ["POST", `/dataset/${id}/rows/search`, {}], 403, "FORBIDDEN"],
    [writer.token, ["GET", `/dataset/${id}/export`], 403, "FORBIDDEN"],
    [app.admin, ["GET", `/dataset/${newId()}`], 404, "NOT_FOUND"],
    [app.admin, ["GET", "/dataset/name/three"], 404, "NOT_FOUND"],
    [app.admin, ["POST", `/dataset/${newId()}/rows/search`, {}], 404, "NOT_FOUND"],
    [app.admin, ["POST", `/dataset/${newId()}/rows`, { rows: [{ x: 1 }] }], 404, "NOT_FOUND"],
    [app.admin, ["GET", `/dataset/${newId()}/export`], 404, "NOT_FOUND"],
    [app.admin, ["DELETE", `/dataset/delete/${newId()}`], 404, "NOT_FOUND"],
    [app.admin, upsert({ id: newId(), name: "n" }), 404, "NOT_FOUND"],
    [app.admin, ["GET", "/dataset/one"], 400, "VALIDATION_FAILED"],
    [app.admin, upsert({ name: "n" }), 400, "VALIDATION_FAILED", /columns is required/],
    [app.admin, upsert({ name: "n", columns: [] }), 400, "VALIDATION_FAILED"],
    [
      app.admin,
      upsert({ name: "n", columns: [...columns, ...columns] }),
      400,
      "VALIDATION_FAILED",
      /another column/,
    ],
    [app.admin, upsert({ name: "n", columns: [{ name: "_row", type: "string" }] }), 400, "VALIDATION_FAILED"],
    [app.admin, upsert({ name: "n", columns: [{ name: "x", type: "text" }] }), 400, "VALIDATION_FAILED"],
    [
      app.admin,
      upsert({ name: "one", columns: [{ name: "x", type: "string" }] }),
      400,
      "VALIDATION_FAILED",
      /can't be changed/,
    ],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows/search`, { sortBy: "y" }],
      400,
      "VALIDATION_FAILED",
      /fields are x, _row/,
    ],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows/search`, where("constructor", "equals", 1)],
      400,
      "VALIDATION_FAILED",
    ],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows/search`, where("x", "contains", "1")],
      400,
      "VALIDATION_FAILED",
    ],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows/search`, where("x", "equals", "1")],
      400,
      "VALIDATION_FAILED",
      /a number/,
    ],
    [app.admin, ["GET", `/dataset/${id}/export?format=xlsx`], 400, "VALIDATION_FAILED"],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows`, { rows: [{ x: 1 }, { y: 1 }] }],
      400,
      "VALIDATION_FAILED",
      /row 2 has "y", which is no column/,
    ],
    [
      app.admin,
      ["POST", `/dataset/${id}/rows`, { rows: [{ x: "one" }] }],
      400,
      "VALIDATION_FAILED",
      /column "x" has "one"/,
    ],
    [app.admin, ["POST", `/dataset/${id}/rows`, { rows: [{ x: 1.5 }] }], 400, "VALIDATION_FAILED"],
    [app.admin, ["POST", `/dataset/${id}/rows`, { rows: [{ x: [1] }] }], 400, "VALIDATION_FAILED"],
    [app.admin, ["POST", `/dataset/${id}/rows`, { rows: [] }], 400, "VALIDATION_FAILED"],
    [app.admin, upsert({ id, name: "two" }), 409, "CONFLICT"],
    [app.admin, ["POST", "/dataset/upsert?expectedVersion=9", { name: "one" }], 409, "CONFLICT"],
  ];
  for (const [token, [method, url, body], status, code, message] of table) {
    const { response } = await app.as(token, method, url, body);
    assertRefused(response, status, code);
    if (message) assert.match(response.json().message, message);
  }
  for (const query of ["&onExisting=fail", "&expectedVersion=2"]) {
    assertRefused((await app.upload("one", "x\n2\n", { query })).response as never, 409, "CONFLICT");
  }
  assert.deepEqual(await app.rows(id), [{ x: 1 }]);
});

test("makes an empty dataset, changes its name, and appends to it, one after the other", async (t) => {
  const app = await datasetApp(t);
  const columns = [
    { name: "n", type: "integer" },
    { name: "ok", type: "boolean" },
    { name: "text", type: "string" },
  ];
  const made = await app.call("POST", "/dataset/upsert", { name: "log", columns });
  assert.deepEqual([made.status, made.data.rowCount, made.data.columns], [201, 0, columns]);
  const { id } = made.data;
  assert.equal((await app.csv(id)).body, "n,ok,text\r\n");
  assert.equal((await app.csv(id, "?format=json")).body, "[]\n");
  const same = await app.call("POST", "/dataset/upsert", { name: "log", columns });
  assert.deepEqual([same.status, same.data.version], [200, 1]);
  const renamed = await app.call("POST", "/dataset/upsert", { id, name: "journal", description: "d" });
  assert.deepEqual([renamed.data.name, renamed.data.version], ["journal", 2]);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      app.call("POST", `/dataset/${id}/rows`, {
        rows: [
          { n, ok: true, text: "" },
          { n, text: "=1+1" },
        ],
      }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  const found = await app.rows(id);
  assert.equal(found.length, 20);
  for (let i = 0; i < 20; i += 2) {
    assert.deepEqual(found[i], { n: found[i + 1]!.n, ok: true, text: "" });
    assert.deepEqual(found[i + 1], { n: found[i]!.n, ok: null, text: "=1+1" });
  }
  const { data } = await app.call("GET", `/dataset/${id}`);
  assert.deepEqual([data.rowCount, data.size, data.version], [20, 10 * (1 + 4 + 1 + 4), 12]);
  await app.pool.query("update dataset set size = 64 * 1024 * 1024 - 3");
  const full = (text: string) => app.call("POST", `/dataset/${id}/rows`, { rows: [{ text }] });
  assertRefused((await full("long")).response, 413, "PAYLOAD_TOO_LARGE");
  assert.equal((await full("not")).data.size, 64 * 1024 * 1024);
  const both = await app.call("POST", "/dataset/bulk-delete", { ids: [newId(), id] });
  assert.deepEqual(both.data.deleted, [id]);
  const uploads = await Promise.all(Array.from({ length: 5 }, (_, n) => app.upload("race", `n\n${n}\n`)));
  assert.deepEqual(uploads.map(({ status }) => status).sort(), [200, 200, 200, 200, 201]);
  const made2 = await Promise.all(
    Array.from({ length: 5 }, () => app.call("POST", "/dataset/upsert", { name: "race 2", columns })),
  );
  assert.deepEqual(made2.map(({ status }) => status).sort(), [200, 200, 200, 200, 201]);
  const { rows } = await app.pool.query(
    "select count(*) as kept from stored_content where remove_after is null",
  );
  assert.equal(rows[0].kept, 2);
});

test("lets no text run as a formula in a spreadsheet, unless told to keep it", async (t) => {
  const app = await datasetApp(t);
  const hostile = [
    "=cmd|'/c calc'!A1",
    "+1",
    "-1+2",
    "@SUM(A1)",
    "\tx",
    "\rx",
    "\n=1",
    "＝1+1",
    "plain",
    "a=b",
  ];
  const rows = hostile.map((text, i) => ({ "=name": text, n: -i }));
  const { data } = await app.upload("f", JSON.stringify(rows), { type: "application/json" });
  const escaped = (await app.csv(data.id)).body;
  assert.deepEqual(escaped.split("\r\n").slice(0, 5), [
    "'=name,n",
    "'=cmd|'/c calc'!A1,0",
    "'+1,-1",
    "'-1+2,-2",
    "'@SUM(A1),-3",
  ]);
  assert.ok(escaped.endsWith(`"'\n=1",-6\r\n'＝1+1,-7\r\nplain,-8\r\na=b,-9\r\n`));
  const kept = await app.upload("kept", (await app.csv(data.id, "?formulas=keep")).body, {
    query: "&column=%3Dname:string",
  });
  assert.deepEqual(
    (await app.rows(kept.data.id)).map((row) => row["=name"]),
    hostile,
  );
});

test("reads a dataset although another holds texts where it has numbers", async (t) => {
  const app = await datasetApp(t);
  await app.upload("texts", `a\n${"none\n".repeat(2000)}`);
  const { data } = await app.upload("numbers", `a\n${"1\n2\n".repeat(10)}`);
  // As PostgreSQL may do it when tables are small: every row is looked at.
  await app.pool.query("alter table dataset_row set (parallel_workers = 0)");
  await app.pool.query("drop index if exists dataset_row_pkey_copy");
  await app.pool.query("alter table dataset_row drop constraint dataset_row_pkey");
  assert.equal((await app.rows(data.id, { ...where("a", "gt", 1), sortBy: "a" })).length, 10);
});
