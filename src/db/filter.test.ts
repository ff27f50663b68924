import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { type Kysely, sql } from "kysely";
import { createTestDatabase, type TestDatabase } from "../../test/helpers/database.ts";
import {
  constraints,
  exact,
  findInMemory,
  oracleRuns,
  ranged,
  textual,
} from "../../test/helpers/filter-oracle.ts";
import { compileFilter, type FieldMap, FilterError, type FilterRequest } from "./filter.ts";
import { createKysely, createPool } from "./pool.ts";

interface Row {
  id: string;
  name: string;
  description: string | null;
  count: number | null;
  amount: number | null;
  made: Date | null;
  active: boolean | null;
  tags: string[];
  status: "RUNNING" | "FAILED" | null;
}

const fields: FieldMap = {
  id: { kind: "id", column: sql`id` },
  name: { kind: "string", column: sql`name`, lower: sql`name_lower`, sort: sql`name collate "C"` },
  description: { kind: "string", column: sql`description` },
  count: { kind: "number", column: sql`count` },
  amount: { kind: "number", column: sql`amount` },
  made: { kind: "date", column: sql`made` },
  active: { kind: "boolean", column: sql`active` },
  tags: { kind: "strings", column: sql`tags` },
  status: { kind: "enum", column: sql`status`, values: ["RUNNING", "FAILED"] },
};
const search = [fields.name!, fields.description!];

// Letters with one case each outside ASCII: how a database folds the others is its own affair.
const words = [
  "Orders",
  "orders",
  "Daily ORDERS",
  "a_b",
  "a%b",
  "a\\b",
  "100%",
  "",
  "%",
  "_",
  "\\",
  "'",
  '"',
  "{x,y}",
  "NULL",
  "日本",
  "😀 b",
  "ab",
  "B",
];
const text = fc.constantFrom(...words);
const day = (offset: number) => new Date(Date.UTC(2026, 10, 1) + offset);
const row = fc.record({
  name: text,
  description: fc.option(text),
  count: fc.option(fc.integer({ min: -3, max: 3 })),
  amount: fc.option(fc.constantFrom(-1.5, 0, 0.1, 2, 1e300)),
  made: fc.option(fc.integer({ min: 0, max: 5 }).map(day)),
  active: fc.option(fc.boolean()),
  tags: fc.array(text, { maxLength: 3 }),
  status: fc.option(fc.constantFrom("RUNNING" as const, "FAILED" as const)),
});

let database: TestDatabase;
let db: Kysely<{ thing: Row }>;
let rows: Row[];

before(async () => {
  database = await createTestDatabase({ empty: true });
  db = createKysely(createPool({ url: database.url }));
  await sql`create table thing (id uuid primary key, name text not null, description text, count integer,
    amount float8, made timestamptz, active boolean, tags text[] not null, status text,
    name_lower text collate "C" generated always as (lower(name collate "default")) stored)`.execute(db);
  rows = fc.sample(row, { numRuns: 150, seed: 7 }).map((made, i) => ({
    id: `01900000-0000-7000-8000-${String((i * 7919) % 1000).padStart(12, "0")}`,
    ...made,
  }));
  await db.insertInto("thing").values(rows).execute();
});

after(async () => {
  await db.destroy();
  await database.drop();
});

async function find(request: FilterRequest): Promise<Row[]> {
  const { where, orderBy, limit, offset } = compileFilter(fields, request, search);
  const { rows: found } =
    await sql<Row>`select * from thing where ${where} order by ${orderBy} limit ${limit} offset ${offset}`.execute(
      db,
    );
  return found;
}

const filters = fc.record(
  {
    name: constraints(textual, text),
    description: constraints(textual, text),
    tags: constraints(textual, text),
    count: constraints(ranged, fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(0.5, 1e300, -1e15))),
    amount: constraints(ranged, fc.constantFrom(-1.5, 0, 0.1, 2, 1e300, 5)),
    made: constraints(
      ranged,
      fc.integer({ min: -1, max: 6 }).map((offset) => day(offset).toISOString()),
    ),
    active: constraints(exact, fc.boolean()),
    status: constraints(exact, fc.constantFrom("RUNNING", "FAILED")),
  },
  { requiredKeys: [] },
);

const request: fc.Arbitrary<FilterRequest> = fc.record(
  {
    page: fc.integer({ min: 0, max: 2 }),
    size: fc.constantFrom(1, 7, 150),
    sortBy: fc.constantFrom(
      "relevance",
      "id",
      "name",
      "description",
      "count",
      "amount",
      "made",
      "active",
      "status",
    ),
    sortOrder: fc.constantFrom("asc" as const, "desc" as const),
    searchText: fc.option(
      fc
        .array(fc.constantFrom("orders", "A", "%", "_", "\\", "b", " "), { maxLength: 3 })
        .map((list) => list.join(" ")),
    ),
    // Few fields at once, or nothing would be left to find.
    filters: fc.option(filters.map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)))),
  },
  { requiredKeys: [] },
);

describe("a filter", () => {
  it("finds what a plain search in memory finds, in the same order", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(request, async (wanted) => {
        const ids = (await find(wanted)).map(({ id }) => id);
        found += ids.length;
        assert.deepEqual(ids, findInMemory(rows, wanted).ids);
      }),
      { numRuns: oracleRuns(500) },
    );
    assert.ok(found > 500, "the requests found next to nothing: the property would hold for any filter");
  });

  it("finds all when nothing is asked, ten at a time, newest first", async () => {
    const ids = rows
      .map(({ id }) => id)
      .sort()
      .reverse();
    assert.deepEqual(
      (await find({})).map(({ id }) => id),
      ids.slice(0, 10),
    );
    assert.deepEqual(
      (await find({ filters: null, searchText: null, page: 1 })).map(({ id }) => id),
      ids.slice(10, 20),
    );
  });

  it("finds a time by the millisecond that is shown of it", async () => {
    const id = "01900000-0000-7000-8000-ffffffffffff";
    await sql`insert into thing (id, name, tags, made) values (${id}, 'precise', '{}', '2027-01-01T00:00:00.123456Z')`.execute(
      db,
    );
    const asks = [
      ["equals", "2027-01-01T00:00:00.123Z", 1],
      ["gt", "2027-01-01T00:00:00.123Z", 0],
      ["lte", "2027-01-01T00:00:00.123Z", 1],
      ["lt", "2027-01-01T01:00:00.124+01:00", 1],
      ["between", ["2027-01-01", "2027-01-01T00:00:00.123Z"], 1],
    ] as const;
    try {
      for (const [matchMode, value, count] of asks) {
        const filters = {
          made: {
            operator: "and" as const,
            constraints: [
              { matchMode, value },
              { matchMode: "gt", value: "2026-12-31" },
            ],
          },
        };
        assert.equal((await find({ filters })).length, count, `${matchMode} ${value}`);
      }
    } finally {
      await sql`delete from thing where id = ${id}`.execute(db);
    }
  });

  const and = (field: string, matchMode: unknown, value: unknown): FilterRequest =>
    ({ filters: { [field]: { operator: "and", constraints: [{ matchMode, value }] } } }) as FilterRequest;
  const refused: [string, unknown, string, RegExp][] = [
    [
      "an unknown field",
      and("nam", "equals", "x"),
      "/filters/nam",
      /Did you mean "name"\? The fields are id, name/,
    ],
    [
      "SQL for a field",
      and("name; drop table thing; --", "equals", "x"),
      "/filters/name; drop table thing; --",
      /is not a field/,
    ],
    ["a quote for a field", and('name"', "equals", "x"), '/filters/name"', /is not a field/],
    [
      "what every object has for a field",
      and("constructor", "equals", "x"),
      "/filters/constructor",
      /is not a field/,
    ],
    [
      "__proto__ for a field",
      JSON.parse(
        '{"filters":{"__proto__":{"operator":"and","constraints":[{"matchMode":"equals","value":1}]}}}',
      ),
      "/filters/__proto__",
      /is not a field/,
    ],
    ["an unknown field to sort by", { sortBy: "nmae" }, "/sortBy", /is not a field/],
    ["SQL to sort by", { sortBy: "id desc, (select pg_sleep(9))" }, "/sortBy", /is not a field/],
    ["a list to sort by", { sortBy: "tags" }, "/sortBy", /is a list/],
    ["SQL for a direction", { sortOrder: "desc; drop table thing" }, "/sortOrder", /"asc" or "desc"/],
    ["an unknown match mode", and("name", "like", "x"), "/filters/name/constraints/0/matchMode", /contains/],
    [
      "what every object has for a mode",
      and("name", "toString", "x"),
      "/filters/name/constraints/0/matchMode",
      /not possible/,
    ],
    [
      "greater than for a text",
      and("name", "gt", "x"),
      "/filters/name/constraints/0/matchMode",
      /not possible for this field/,
    ],
    [
      "contains for a number",
      and("count", "contains", "1"),
      "/filters/count/constraints/0/matchMode",
      /takes equals/,
    ],
    [
      "a text for a number",
      and("count", "equals", "1"),
      "/filters/count/constraints/0/value",
      /must be a number/,
    ],
    [
      "infinity for a number",
      and("count", "gt", Number.POSITIVE_INFINITY),
      "/filters/count/constraints/0/value",
      /must be a number/,
    ],
    [
      "an object for a text",
      and("name", "equals", { a: 1 }),
      "/filters/name/constraints/0/value",
      /must be a text/,
    ],
    ["null for a text", and("name", "equals", null), "/filters/name/constraints/0/value", /must be a text/],
    [
      "nothing for a text",
      and("name", "equals", undefined),
      "/filters/name/constraints/0/value",
      /must be a text/,
    ],
    ["a NUL", and("name", "contains", "a\0b"), "/filters/name/constraints/0/value", /NUL/],
    [
      "half a surrogate pair",
      and("tags", "in", ["\ud800"]),
      "/filters/tags/constraints/0/value",
      /surrogate/,
    ],
    [
      "a day that there is not",
      and("made", "gt", "2026-02-30"),
      "/filters/made/constraints/0/value",
      /must be a date/,
    ],
    [
      "a time without an offset",
      and("made", "gt", "2026-02-03T10:00:00"),
      "/filters/made/constraints/0/value",
      /must be a date/,
    ],
    [
      "a date in words",
      and("made", "gt", "yesterday"),
      "/filters/made/constraints/0/value",
      /must be a date/,
    ],
    ["an id that is none", and("id", "in", ["x"]), "/filters/id/constraints/0/value", /must be an id/],
    [
      "a status that there is not",
      and("status", "equals", "DONE"),
      "/filters/status/constraints/0/value",
      /RUNNING, FAILED/,
    ],
    ["a range of one", and("count", "between", [1]), "/filters/count/constraints/0/value", /two values/],
    ["a list that is none", and("name", "in", "x"), "/filters/name/constraints/0/value", /array of 1000/],
    [
      "a thousand and one values",
      and(
        "count",
        "in",
        Array.from({ length: 1001 }, (_, i) => i),
      ),
      "/filters/count/constraints/0/value",
      /1000/,
    ],
    ["a long text", and("name", "contains", "x".repeat(5000)), "/filters/name/constraints/0/value", /4000/],
    ["a group without an operator", { filters: { name: { constraints: [] } } }, "/filters/name", /operator/],
    ["a group that is null", { filters: { name: null } }, "/filters/name", /operator/],
    [
      "a group without constraints",
      { filters: { name: { operator: "or", constraints: [] } } },
      "/filters/name",
      /a constraint or more/,
    ],
    [
      "a constraint that is null",
      { filters: { name: { operator: "or", constraints: [null] } } },
      "/filters/name/constraints/0/matchMode",
      /not possible/,
    ],
    [
      "fifty-one constraints",
      {
        filters: {
          name: {
            operator: "or",
            constraints: Array.from({ length: 51 }, () => ({ matchMode: "equals", value: "x" })),
          },
        },
      },
      "/filters/name",
      /50 is the limit/,
    ],
    ["a page that is none", { page: -1 }, "/page", /whole number/],
    ["a half page", { page: 0.5 }, "/page", /whole number/],
    ["no size", { size: 0 }, "/size", /from 1 to 1000/],
    ["a huge size", { size: 1001 }, "/size", /from 1 to 1000/],
    ["a long search", { searchText: "x ".repeat(200) }, "/searchText", /256/],
    ["a search for NUL", { searchText: "\0" }, "/searchText", /NUL/],
  ];
  for (const [what, wrong, path, message] of refused) {
    it(`refuses ${what}`, () => {
      assert.throws(
        () => compileFilter(fields, wrong as FilterRequest, search),
        (error) => {
          assert.ok(error instanceof FilterError);
          assert.equal(error.faults[0]?.path, path);
          assert.match(error.faults[0].message, message);
          return true;
        },
      );
    });
  }

  it("lists every fault at once", () => {
    const wrong = { ...and("nam", "equals", "x"), sortBy: "y", size: 0 };
    assert.throws(
      () => compileFilter(fields, wrong, search),
      (error: FilterError) => {
        assert.deepEqual(
          error.faults.map(({ path }) => path),
          ["/size", "/filters/nam", "/sortBy"],
        );
        return true;
      },
    );
  });

  it("takes the largest request there is", async () => {
    const constraint = {
      matchMode: "in",
      value: Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(100, "%")),
    };
    const filters = {
      name: { operator: "or" as const, constraints: Array.from({ length: 50 }, () => constraint) },
    };
    assert.deepEqual(await find({ filters, size: 1000, page: 1_000_000, searchText: "a ".repeat(128) }), []);
  });

  it("refuses or runs whatever it is sent, and the database never complains", async () => {
    const junk = fc.record(
      {
        page: fc.oneof(fc.integer(), fc.anything()),
        size: fc.oneof(fc.integer(), fc.anything()),
        sortBy: fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string(), fc.anything()),
        sortOrder: fc.oneof(fc.constantFrom("asc", "desc"), fc.anything()),
        searchText: fc.oneof(fc.string({ unit: "binary" }), fc.anything()),
        filters: fc.dictionary(
          fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string()),
          fc.record({
            operator: fc.constantFrom("and", "or", "xor"),
            constraints: fc.array(
              fc.record({
                matchMode: fc.constantFrom(...textual, ...ranged, "x"),
                value: fc.oneof(
                  fc.string({ unit: "binary" }),
                  fc.double(),
                  fc.boolean(),
                  fc.array(fc.oneof(fc.string(), fc.double())),
                  fc.anything(),
                ),
              }),
              { minLength: 1, maxLength: 2 },
            ),
          }),
          { maxKeys: 2 },
        ),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(junk, async (wanted) => {
        try {
          await find(wanted as FilterRequest);
        } catch (error) {
          assert.ok(error instanceof FilterError, String(error));
        }
      }),
      { numRuns: 500 },
    );
  });
});
