import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import fc from "fast-check";
import {
  constraints,
  exact,
  findInMemory,
  oracleRuns,
  ranged,
  textual,
} from "../../test/helpers/filter-oracle.ts";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import type { Collection } from "../contract/collection.ts";
import type { JobLimits } from "../contract/identity.ts";
import type { Job } from "../contract/job.ts";
import { routes } from "../contract/routes.ts";
import { type FilterRequest, searchFields } from "../contract/search.ts";
import { filterLimits } from "../db/filter.ts";
import { type FieldKind, modesOf } from "../db/filter-values.ts";
import { newId } from "../lib/ids.ts";
import { collectionFields } from "./collection-store.ts";
import { itemFields, stepFields } from "./search-store.ts";
import { jobFields } from "./store.ts";

const words = ["Fetch", "orders", "ORDERS", "a_b", "100%", "ä", "Report", "日本", "x\\y", "night", "😀"];
const word = fc.constantFrom(...words);
const phrase = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(" "));
const tags = fc.uniqueArray(word, { maxLength: 3 });
const category = fc.constantFrom("", "finance", "Finance", "it");

type App = Awaited<ReturnType<typeof jobsApp>>;

/** Collections, and jobs in them or not, with steps: made over HTTP, from one seed. */
async function fill(app: App) {
  const [texts] = fc.sample(
    fc.array(fc.record({ phrase, description: fc.option(phrase), tags, category }), {
      minLength: 150,
      maxLength: 150,
    }),
    { numRuns: 1, seed: 5 },
  );
  const next = () => texts!.shift()!;
  const collections: Collection[] = [];
  for (let i = 0; i < 8; i++) {
    const { phrase: name, description, ...rest } = next();
    const body = { name: `${name} ${i}`, description: description ?? "", ...rest };
    collections.push((await app.call("POST", "/collection", body)).data);
  }
  const jobs: Job[] = [];
  for (let i = 0; i < 40; i++) {
    const { phrase: name, description, ...rest } = next();
    const steps = Array.from({ length: 1 + (i % 3) }, (_, k) => {
      const text = k === 0 ? next() : undefined;
      return {
        key: `k${k}`,
        type: "log",
        input: { message: "hi" },
        name: text?.phrase,
        description: text?.description ?? undefined,
      };
    });
    const collectionId = i % 3 === 0 ? null : collections[i % 5]!.id;
    jobs.push(
      await app.make({ name: `${name} ${i}`, description: description ?? "", collectionId, steps, ...rest }),
    );
  }
  return { collections, jobs };
}

type World = Awaited<ReturnType<typeof fill>>;
type Viewer = { authorities: string[]; limits: JobLimits | null };

/** What a principal may find, as records: the rights in plain words. */
function seenBy({ collections, jobs }: World, { authorities, limits }: Viewer) {
  const mine = jobs.filter(
    (job) =>
      limits === null ||
      limits.ids?.includes(job.id) ||
      (job.collectionId !== null && limits.collections?.includes(job.collectionId)) ||
      job.tags.some((tag) => limits.tags?.includes(tag)),
  );
  const may = (resource: string) =>
    authorities.some((each) => each === "*:*:*" || each.includes(`:${resource}:`));
  const dated = <T extends { updatedAt: string }>(one: T) => ({ ...one, updatedAt: new Date(one.updatedAt) });
  return {
    job: may("Job") ? mine.map((job) => ({ ...dated(job), type: "job" })) : [],
    step: may("Step")
      ? mine.flatMap((job) =>
          job.steps.map((step, position) => ({
            ...dated(job),
            type: "step",
            id: step.id,
            name: step.name ?? step.key,
            description: step.description ?? "",
            key: step.key,
            stepType: step.type,
            position,
            jobId: job.id,
            jobName: job.name,
          })),
        )
      : [],
    collection: may("Collection")
      ? collections
          .filter(
            ({ id }) =>
              limits === null ||
              limits.collections?.includes(id) ||
              mine.some((job) => job.collectionId === id),
          )
          .map((one) => ({ ...dated(one), type: "collection" }))
      : [],
  };
}

test("finds what a plain search in memory finds, in the same order, for everyone and of every type", async (t) => {
  const app = await jobsApp(t);
  const world = await fill(app);
  const viewers: Viewer[] = [
    { authorities: ["*:*:*"], limits: null },
    { authorities: ["JobService:Job:read", "JobService:Step:read"], limits: null },
    { authorities: ["*:*:*"], limits: { tags: ["orders", "ä"] } },
    {
      authorities: ["*:*:*"],
      limits: { ids: [world.jobs[3]!.id, newId()], collections: [world.collections[1]!.id] },
    },
    { authorities: ["*:*:*"], limits: {} },
  ];
  const tokens = await Promise.all(
    viewers.map(
      async ({ authorities, limits }, i) => (await app.principal(`p${i}`, authorities, limits)).token,
    ),
  );
  const times = [...world.jobs, ...world.collections].map((one) => one.updatedAt);
  const shared = {
    name: constraints(textual, fc.oneof(phrase, word)),
    description: constraints(textual, fc.oneof(phrase, word)),
    category: constraints(textual, category),
    tags: constraints(textual, word),
    updatedAt: constraints(ranged, fc.constantFrom(...times)),
  };
  const places = {
    collectionId: constraints(exact, fc.constantFrom(...world.collections.map(({ id }) => id))),
  };
  const kinds = [
    {
      path: "/search",
      fields: { ...shared, type: constraints(exact, fc.constantFrom("job", "step", "collection")) },
      sorts: searchFields.searchAll,
      of: ["job", "step", "collection"],
    },
    { path: "/search?type=step", fields: shared, sorts: searchFields.searchAll, of: ["step"] },
    { path: "/search?type=collection", fields: shared, sorts: searchFields.searchAll, of: ["collection"] },
    {
      path: "/jobs/search",
      fields: { ...shared, ...places, version: constraints(ranged, fc.constantFrom(0, 1, 2)) },
      sorts: searchFields.searchJobs,
      of: ["job"],
    },
    {
      path: "/step/search",
      fields: {
        ...shared,
        ...places,
        key: constraints(textual, fc.constantFrom("k0", "K1", "2")),
        position: constraints(ranged, fc.nat(3)),
        jobName: constraints(textual, phrase),
      },
      sorts: searchFields.searchSteps,
      of: ["step"],
    },
    { path: "/collection/search", fields: shared, sorts: searchFields.searchCollections, of: ["collection"] },
  ] as const;
  const asks = fc.nat(kinds.length - 1).chain((index) => {
    const kind = kinds[index]!;
    const sorts = kind.sorts.filter(
      (field) => !["tags", "createdAt", "createdBy", "updatedBy", "type"].includes(field),
    );
    return fc.record({
      index: fc.constant(index),
      viewer: fc.nat(viewers.length - 1),
      request: fc.record(
        {
          page: fc.nat(2),
          size: fc.constantFrom(1, 5, 200),
          sortBy: fc.constantFrom("relevance", ...sorts),
          sortOrder: fc.constantFrom("asc" as const, "desc" as const),
          searchText: fc.option(
            fc
              .array(fc.oneof(word, fc.constantFrom("e", "%", "_", "\\", " ")), { maxLength: 3 })
              .map((list) => list.join(" ")),
          ),
          filters: fc.option(
            fc
              .subarray(Object.keys(kind.fields), { maxLength: 2 })
              .chain((names) =>
                fc.record(
                  Object.fromEntries(
                    names.map((name) => [
                      name,
                      (kind.fields as Record<string, fc.Arbitrary<unknown>>)[name]!,
                    ]),
                  ),
                ),
              ),
          ),
        },
        { requiredKeys: [] },
      ),
    });
  });
  let found = 0;
  await fc.assert(
    fc.asyncProperty(asks, async ({ index, viewer, request }) => {
      const kind = kinds[index]!;
      const seen = seenBy(world, viewers[viewer]!);
      const may = kind.of.some(
        (type) => viewers[viewer]!.authorities[0] === "*:*:*" || type !== "collection",
      );
      const answer = await app.as(tokens[viewer], "POST", kind.path, request);
      if (!may) return assert.equal(answer.status, 403, answer.response.body);
      assert.equal(answer.status, 200, answer.response.body);
      const rows = kind.of.flatMap((type): ReturnType<typeof seenBy>[typeof type][number][] => seen[type]);
      const wanted = findInMemory(rows, request as FilterRequest);
      assert.deepEqual(
        answer.data.map((item: { id: string }) => item.id),
        wanted.ids,
      );
      assert.equal(answer.body.meta.totalElements, wanted.total);
      found += wanted.total;
    }),
    { numRuns: oracleRuns(400) },
  );
  assert.ok(found > 1000, "the requests found next to nothing: the property would hold for any search");
});

test("the contract names the fields that can be asked for", () => {
  const maps = {
    searchAll: itemFields,
    searchJobs: jobFields,
    searchSteps: stepFields,
    searchCollections: collectionFields,
  };
  for (const [name, fields] of Object.entries(maps)) {
    assert.deepEqual(Object.keys(fields).sort(), [...searchFields[name as keyof typeof maps]].sort(), name);
  }
});

test("docs/search.md lists each search's fields, the limits, and the modes of each kind", () => {
  const page = readFileSync(new URL("../../docs/search.md", import.meta.url), "utf8");
  for (const [name, fields] of Object.entries(searchFields)) {
    const { path } = routes[name as keyof typeof searchFields];
    const line = `- \`${path}\`: ${fields.map((field) => `\`${field}\``).join(", ")}`;
    assert.ok(page.split("\n").includes(line), line);
  }
  const shown = (limit: number) => limit.toLocaleString("en");
  const { page: pages, size, constraints: most, searchText } = filterLimits;
  for (const words of [
    `from 0 to ${shown(pages)}`,
    `from 1 to ${shown(size)}`,
    `at most ${most} constraints`,
    `at most ${searchText} characters`,
  ]) {
    assert.ok(page.includes(words), words);
  }
  const rows = page
    .split("\n")
    .filter((line) => /^\| `\w+`/.test(line))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const kinds: [number, FieldKind][] = [
    [2, "string"],
    [3, "strings"],
    [4, "number"],
    [4, "date"],
    [5, "id"],
    [5, "enum"],
  ];
  for (const [column, kind] of kinds) {
    const taken = rows
      .filter((row) => row.length === 7 && row[column] !== "–")
      .flatMap((row) => row[1]!.match(/\w+/g)!);
    assert.deepEqual(taken.sort(), [...modesOf(kind)].sort(), kind);
  }
});

test("shows a hit in the seed's shape, and a step whole", async (t) => {
  const { call, make } = await jobsApp(t);
  const job = await make(jobOf({ name: "orders", description: "d", category: "c", tags: ["t"] }));
  const [hit] = (await call("POST", "/search?type=job", {})).data;
  assert.deepEqual(hit, {
    id: job.id,
    type: "job",
    name: "orders",
    description: "d",
    category: "c",
    tags: ["t"],
    updatedAt: job.updatedAt,
  });
  const step = (await call("GET", `/step/${job.steps[0].id}`)).data;
  assert.deepEqual(step, {
    id: job.steps[0].id,
    jobId: job.id,
    jobName: "orders",
    collectionId: null,
    position: 0,
    key: "first",
    name: "first",
    description: "",
    type: "set",
    input: { values: { n: 1 } },
    onError: "fail",
    category: "c",
    tags: ["t"],
    updatedAt: job.updatedAt,
  });
  const search = await call("POST", "/step/search", {
    filters: { key: { operator: "and", constraints: [{ matchMode: "equals", value: "first" }] } },
  });
  assert.deepEqual(search.data, [step]);
  assert.deepEqual(search.body.meta, { totalElements: 1, page: 0, size: 10 });
  assert.equal(search.body.message, "1 step found.");
  assertRefused((await call("GET", `/step/${newId()}`)).response, 404, "NOT_FOUND");
});

test("finds a save at once, and nothing of what it replaced or deleted", async (t) => {
  const { call, make } = await jobsApp(t);
  const find = async (searchText: string) =>
    (await call("POST", "/search", { searchText, sortBy: "name", sortOrder: "asc" })).data.map(
      (item: { name: string }) => item.name,
    );
  const step = (name: string) => ({ key: name.toLowerCase(), name, type: "log", input: { message: "" } });
  const job = await make({ name: "alpha", steps: [step("AlphaOne"), step("AlphaTwo")] });
  assert.deepEqual(await find("alpha"), ["AlphaOne", "AlphaTwo", "alpha"]);
  const kept = (await call("GET", `/step/${job.steps[0].id}`)).data;
  await call("PUT", `/jobs/${job.id}`, {
    name: "alpha",
    description: "2",
    steps: [step("AlphaOne"), step("Beta")],
  });
  assert.deepEqual(await find("alpha"), ["AlphaOne", "alpha"]);
  assert.deepEqual(await find("beta"), ["Beta"]);
  assert.deepEqual(
    (await call("GET", `/step/${job.steps[0].id}`)).data,
    kept,
    "what nobody changed keeps its time",
  );
  await call("PUT", `/jobs/${job.id}`, {
    name: "gamma",
    tags: ["new"],
    steps: [step("AlphaOne"), step("Beta")],
  });
  const renamed = (await call("GET", `/step/${job.steps[0].id}`)).data;
  assert.deepEqual([renamed.jobName, renamed.tags], ["gamma", ["new"]]);
  await call("POST", `/jobs/${job.id}/versions/1/restore`);
  assert.deepEqual(await find("alpha"), ["AlphaOne", "AlphaTwo", "alpha"]);
  await call("DELETE", `/jobs/${job.id}`);
  assert.deepEqual(await find(""), []);
});

test("loses nothing of 200 saves with searches running", async (t) => {
  const { call } = await jobsApp(t);
  let over = false;
  const searching = Array.from({ length: 3 }, async (_, i) => {
    let searches = 0;
    for (; !over; searches++) {
      const { status } = await call("POST", "/search", {
        searchText: ["load", "first", "zzz"][i]!,
        sortBy: "relevance",
      });
      assert.equal(status, 200);
    }
    return searches;
  });
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const saving = Array.from({ length: 8 }, async () => {
    for (let n = numbers.shift(); n !== undefined; n = numbers.shift()) {
      const made = await call("POST", "/jobs", jobOf({ name: `load made no${n}.` }));
      assert.equal(made.status, 201, made.response.body);
      await assertFound(call, `load made no${n}.`, made.data);
      const changed = await call("PUT", `/jobs/${made.data.id}`, jobOf({ name: `load changed no${n}.` }));
      await assertFound(call, `load changed no${n}.`, changed.data);
    }
  });
  await Promise.all(saving).finally(() => {
    over = true;
  });
  const searches = (await Promise.all(searching)).reduce((sum, each) => sum + each, 0);
  assert.ok(searches > 20, `only ${searches} searches ran`);
  const { totalElements } = (await call("POST", "/search", { searchText: "load" })).body.meta;
  assert.equal(totalElements, 100);
  assert.equal((await call("POST", "/step/search", {})).body.meta.totalElements, 200);
});

async function assertFound(call: App["call"], name: string, job: Job): Promise<void> {
  const named = await call("POST", "/search", { searchText: name });
  assert.deepEqual(
    named.data.map((item: { id: string }) => item.id),
    [job.id],
    name,
  );
  const ofJob = { jobId: { operator: "and", constraints: [{ matchMode: "equals", value: job.id }] } };
  const steps = await call("POST", "/step/search", { filters: ofJob, sortBy: "position", sortOrder: "asc" });
  assert.deepEqual(
    steps.data.map((item: { id: string }) => item.id),
    job.steps.map(({ id }) => id),
  );
}

test("puts the best match first with sortBy relevance", async (t) => {
  const { call, make } = await jobsApp(t);
  for (const [name, description] of [
    ["daily orders", ""],
    ["orders daily", ""],
    ["digest", "of orders"],
    ["Orders", "all"],
  ]) {
    await make(jobOf({ name, description }));
  }
  const names = async (body: object) =>
    (await call("POST", "/search?type=job", body)).data.map((item: { name: string }) => item.name);
  assert.deepEqual(await names({ searchText: "orders", sortBy: "relevance" }), [
    "Orders",
    "orders daily",
    "daily orders",
    "digest",
  ]);
  assert.deepEqual(await names({ searchText: "orders  daily", sortBy: "relevance" }), [
    "orders daily",
    "daily orders",
  ]);
  assert.deepEqual(
    await names({ searchText: "orders" }),
    ["Orders", "digest", "orders daily", "daily orders"],
    "by id, as the seed says",
  );
});

test("says what may have been meant when nothing is found, and only what the caller would find", async (t) => {
  const { call, make, as, principal } = await jobsApp(t);
  await make(jobOf({ name: "nightly reconciliation 7", tags: ["secret"] }));
  const message = async (searchText: string, path = "/search") =>
    (await call("POST", path, { searchText })).body.message;
  assert.equal(
    await message("reconcilliation"),
    'Nothing is found for "reconcilliation". Did you mean "reconciliation"?',
  );
  assert.equal(
    await message("nigthly reconcil 7"),
    'Nothing is found for "nigthly reconcil 7". Did you mean "nightly reconcil 7"?',
  );
  assert.equal(
    await message("nigthly", "/jobs/search"),
    'Nothing is found for "nigthly". Did you mean "nightly"?',
  );
  assert.equal(
    await message("nigthly", "/step/search"),
    'Nothing is found for "nigthly".',
    "no step is called so",
  );
  assert.equal(await message("nigthly 8"), 'Nothing is found for "nigthly 8".');
  assert.equal(await message("zzzzqqqq"), 'Nothing is found for "zzzzqqqq".');
  assert.equal((await call("POST", "/collection/search", {})).body.message, "No collections found.");
  const limited = await principal("limited", ["*:*:*"], { tags: ["other"] });
  const told = await as(limited.token, "POST", "/search", { searchText: "nigthly" });
  assert.deepEqual([told.body.message, told.body.meta.totalElements], ['Nothing is found for "nigthly".', 0]);
});

const group = (constraints: unknown, operator: unknown = "and") => ({ operator, constraints });
const one = (field: string, matchMode: unknown, value?: unknown) => ({
  filters: { [field]: group([{ matchMode, value }]) },
});
const hostile: [string, unknown, RegExp][] = [
  ["SQL to sort by", { sortBy: "id; drop table search_item" }, /sortBy/],
  ["a column to sort by", { sortBy: "name_lower" }, /sortBy/],
  ["a function to sort by", { sortBy: "pg_sleep(9)" }, /sortBy/],
  ["what all objects have to sort by", { sortBy: "constructor" }, /sortBy/],
  ["a number to sort by", { sortBy: 1 }, /sortBy/],
  ["SQL for a direction", { sortOrder: "desc, pg_sleep(9)" }, /sortOrder/],
  ["SQL for a field", one("name) or true --", "equals", "x"), /is not a field/],
  ["a quote for a field", one("na'me", "equals", "x"), /is not a field/],
  ["another search's field", one("definition", "equals", "x"), /is not a field/],
  ["an unknown mode", one("name", "regex", "x"), /matchMode/],
  ["an object for a text", one("name", "equals", { $ne: 1 }), /must be a text/],
  ["a list for a text", one("name", "contains", ["x"]), /must be a text/],
  ["null for a text", one("name", "equals", null), /must be a text/],
  ["no value", one("name", "equals"), /value/],
  ["a text for a date", one("updatedAt", "gt", "now()"), /must be a date/],
  ["a range of three", one("updatedAt", "between", ["2026-01-01", "2026-01-02", "2026-01-03"]), /two values/],
  ["a range on a text", one("name", "between", ["a", "b"]), /not possible/],
  ["greater than on a text", one("name", "gt", "a"), /not possible/],
  ["an id that is none", one("id", "equals", "1 or 1=1"), /must be an id/],
  [
    "1,001 values",
    one(
      "name",
      "in",
      Array.from({ length: 1001 }, (_, i) => `${i}`),
    ),
    /1000/,
  ],
  [
    "51 constraints",
    { filters: { name: group(Array.from({ length: 51 }, () => ({ matchMode: "equals", value: "x" }))) } },
    /50/,
  ],
  [
    "51 constraints over two fields",
    {
      filters: {
        name: group(Array.from({ length: 26 }, () => ({ matchMode: "equals", value: "x" }))),
        category: group(Array.from({ length: 25 }, () => ({ matchMode: "equals", value: "x" }))),
      },
    },
    /50 is the limit/,
  ],
  ["no constraint", { filters: { name: group([]) } }, /1 item or more/],
  [
    "an operator that is none",
    { filters: { name: group([{ matchMode: "equals", value: "x" }], "xor") } },
    /operator/,
  ],
  ["a list of filters", { filters: [] }, /filters/],
  ["a text of filters", { filters: "name = 1" }, /filters/],
  ["a size of 0", { size: 0 }, /1 or more/],
  ["a size of 1,001", { size: 1001 }, /1000/],
  ["a size in words", { size: "10" }, /integer/],
  ["a negative page", { page: -1 }, /0 or more/],
  ["a huge page", { page: 1e15 }, /1000000/],
  ["257 characters of searchText", { searchText: "x".repeat(257) }, /256/],
  ["NUL in searchText", { searchText: "a\0b" }, /searchText/],
  ["half a surrogate pair", { searchText: "\ud800" }, /searchText/],
  ["a list for searchText", { searchText: ["x"] }, /searchText/],
  ["a field that there is not", { where: "1=1" }, /where is not a known field/],
  [
    "a prototype",
    JSON.parse(
      '{"filters":{"__proto__":{"operator":"and","constraints":[{"matchMode":"equals","value":1}]}}}',
    ),
    /__proto__/,
  ],
  ["a list for a body", [], /object/],
];

test("refuses whatever else is asked, on every search, and says why", async (t) => {
  const { call } = await jobsApp(t);
  for (const path of ["/search", "/jobs/search", "/step/search", "/collection/search"]) {
    for (const [what, body, reason] of hostile) {
      const { response, body: answer } = await call("POST", path, body as object);
      assertRefused(response, 400, "VALIDATION_FAILED");
      assert.match(`${answer.message} ${JSON.stringify(answer.error.details)}`, reason, `${path}: ${what}`);
    }
    assertRefused((await call("POST", path.concat("?type=nothing"), {})).response, 400, "VALIDATION_FAILED");
  }
});

test("takes the largest requests that are allowed", async (t) => {
  const { call, make } = await jobsApp(t);
  await make(jobOf());
  const constraint = { matchMode: "in", value: Array.from({ length: 1000 }, (_, i) => `${i}%_'"`) };
  const body = {
    size: 1000,
    page: 1_000_000,
    searchText: "a'b ".repeat(64),
    filters: {
      name: group(
        Array.from({ length: 50 }, () => constraint),
        "or",
      ),
    },
  };
  for (const path of ["/search", "/jobs/search", "/step/search", "/collection/search"]) {
    const { status, response } = await call("POST", path, body);
    assert.equal(status, 200, response.body);
  }
});

test("lets a caller find the types it may read, and refuses who may read none", async (t) => {
  const { as, make, principal, call } = await jobsApp(t);
  await make(jobOf());
  await call("POST", "/collection", { name: "orders too" });
  const types = async (authority: string, path = "/search") => {
    const { token } = await principal(authority + path, [authority]);
    const { status, data } = await as(token, "POST", path, {});
    return status === 200 ? [...new Set(data.map((item: { type: string }) => item.type))] : status;
  };
  assert.deepEqual(await types("JobService:Job:read"), ["job"]);
  assert.deepEqual(await types("JobService:Step:read"), ["step"]);
  assert.deepEqual(await types("JobService:Collection:*"), ["collection"]);
  assert.deepEqual(await types("JobService:JobExecution:read"), 403);
  assert.deepEqual(await types("JobService:Job:read", "/search?type=step"), 403);
  assert.deepEqual(await types("JobService:Job:read", "/search?type=job"), ["job"]);
});
