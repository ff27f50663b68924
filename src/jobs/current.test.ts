import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { noSources } from "../../test/helpers/no-sources.ts";
import { WeightedCache } from "./cache.ts";
import { compileJob } from "./compile.ts";

const anyone = { id: "p", name: "p", authorities: [], jobs: null, tokenId: "t" };

test("finds a job to start without a query, and its new version right after a change", async (t) => {
  const { call, make, jobs, pool } = await jobsApp(t);
  const { id } = await make(jobOf());
  const first = await jobs.findStartable(anyone, id);
  const { query } = pool;
  pool.query = (() => assert.fail("no query")) as typeof pool.query;
  for (let i = 0; i < 10; i++) {
    assert.equal(await jobs.findStartable(anyone, id), first);
    assert.equal(await jobs.loadCompiled(id, 1), first);
  }
  pool.query = query;

  await call("PUT", `/jobs/${id}`, jobOf({ description: "new" }));
  assert.equal((await jobs.findStartable(anyone, id)).version, 2);
  assert.equal(await jobs.loadCompiled(id, 1), first, "executions keep the version they started with");
  await call("DELETE", `/jobs/${id}`);
  await assert.rejects(jobs.findStartable(anyone, id), /no such job/);
  assert.equal((await jobs.loadCompiled(id, 2))?.version, 2, "executions outlive their job");
  assert.equal(await jobs.loadCompiled(id, 3), undefined);
});

test("never keeps what was read before a change that came meanwhile", async (t) => {
  const { call, make, jobs } = await jobsApp(t);
  const { id } = await make(jobOf());
  for (let version = 2; version < 12; version++) {
    const reads = Array.from({ length: 5 }, () => jobs.findStartable(anyone, id));
    await call("PUT", `/jobs/${id}`, jobOf({ description: `${version}` }));
    await Promise.all(reads);
    assert.equal((await jobs.findStartable(anyone, id)).version, version);
  }
});

test("sees a change that another process made once it is told to forget", async (t) => {
  const { make, jobs, pool } = await jobsApp(t);
  const { id } = await make(jobOf());
  await jobs.findStartable(anyone, id);
  await pool.query("update job set deleted_at = now() where id = $1", [id]);
  await jobs.findStartable(anyone, id);
  jobs.invalidate(id);
  await assert.rejects(jobs.findStartable(anyone, id), /no such job/);
});

test("compiles a job for the engine, with every default filled in", async (t) => {
  const { make, jobs } = await jobsApp(t);
  const { id, steps } = await make(
    jobOf({
      parameters: {
        type: "object",
        properties: { n: { type: "integer", default: 2 } },
        additionalProperties: false,
      },
      timeoutMs: 5000,
      steps: [
        { key: "a", type: "set", input: { values: { n: "{{ params.n + 1 }}" } }, retry: { maxAttempts: 3 } },
        {
          key: "b",
          name: "Say it",
          type: "log",
          when: "steps.a.output.n > 2",
          input: { message: "n is {{ steps.a.output.n }}" },
          timeoutMs: 100,
          onError: "continue",
        },
      ],
    }),
  );
  const job = (await jobs.loadCompiled(id, 1))!;
  const [a, b] = job.steps;
  assert.deepEqual([job.jobId, job.version, job.name, job.timeoutMs], [id, 1, "orders", 5000]);
  assert.deepEqual([a!.id, a!.name, b!.name], [steps[0].id, "a", "Say it"]);
  assert.deepEqual(a!.retry, { maxAttempts: 3, initialDelayMs: 500, factor: 2, maxDelayMs: 30_000 });
  assert.deepEqual(b!.retry, { maxAttempts: 1, initialDelayMs: 500, factor: 2, maxDelayMs: 30_000 });
  assert.deepEqual(
    [a!.onError, b!.onError, a!.timeoutMs, b!.timeoutMs],
    ["fail", "continue", undefined, 100],
  );

  const { value, faults } = job.readParameters({});
  assert.deepEqual([value, faults], [{ n: 2 }, []]);
  assert.deepEqual(
    job.readParameters({ m: 1 }).faults.map(({ path }) => path),
    ["/m"],
  );
  const scope = {
    params: value,
    steps: { a: { output: { n: 3 }, status: "COMPLETED" } },
    vars: {},
    execution: {},
    job: {},
  };
  assert.deepEqual(a!.input(scope), { values: { n: 3 } });
  assert.equal(b!.when!(scope), true);
  assert.deepEqual(b!.input(scope), { message: "n is 3" });
  assert.throws(() => b!.input({ ...scope, steps: {} }), /steps has no "a"/);
});

test("lets a step that was saved under other rules fail alone, with a sentence", () => {
  const steps = [
    { id: "1", key: "a", type: "set", when: "nope", input: { x: "{{ nope }}" } },
    { id: "2", key: "b", type: "gone", input: { x: "{{ 1 + 1 }}" } },
  ];
  const [a, b] = compileJob("j", 1, { name: "old", steps }, new Map(), noSources().sources).steps;
  assert.throws(() => a!.when!({}), /can't be used any more: There is no name "nope"/);
  assert.throws(() => a!.input({}), /\/x There is no name "nope" here.*Save the job anew/s);
  assert.deepEqual(b!.input({}), { x: 2 });
});

test("keeps what was used last, and no more than its limit", () => {
  const cache = new WeightedCache<number>(10);
  for (const [key, weight] of [
    ["a", 4],
    ["b", 4],
  ] as const)
    cache.set(key, weight, weight);
  cache.get("a");
  cache.set("c", 4, 4);
  assert.deepEqual(
    ["a", "b", "c"].map((key) => cache.get(key)),
    [4, undefined, 4],
  );
  cache.set("huge", 1, 100);
  assert.deepEqual(
    ["a", "c", "huge"].map((key) => cache.get(key)),
    [undefined, undefined, 1],
  );
  cache.set("d", 1, 1);
  assert.deepEqual(
    ["huge", "d"].map((key) => cache.get(key)),
    [undefined, 1],
  );
});

test("takes every example", async (t) => {
  const { importYaml } = await jobsApp(t);
  const made = await importYaml(
    readFileSync(new URL("../../examples/earthquakes.yaml", import.meta.url), "utf8"),
  );
  assert.equal(made.status, 201, made.response.body);
});
