import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import {
  constraints,
  exact,
  findInMemory,
  oracleRuns,
  ranged,
  textual,
} from "../../test/helpers/filter-oracle.ts";
import { jobOf } from "../../test/helpers/jobs-app.ts";
import { type RunningPawl, startTestPawl } from "../../test/helpers/running-pawl.ts";
import { type ExecutionStatus, executionStatuses } from "../contract/execution.ts";
import type { Job } from "../contract/job.ts";
import { type FilterRequest, searchFields } from "../contract/search.ts";
import { createPool } from "../db/pool.ts";
import { firstIdAt } from "../lib/ids.ts";
import { executionFields } from "./search-store.ts";

const HOUR = 3_600_000;
const now = Date.now();
const text = fc.constantFrom("timeout", "Timeout of 5 s", "GET … answered 503", "100%", "a_b", "ä");

interface Row {
  id: string;
  name: string;
  description: string | null;
  jobId: string;
  jobName: string;
  status: ExecutionStatus;
  triggeredBy: string;
  triggerSource: string | null;
  startedBy: string;
  startTime: Date;
  endTime: Date | null;
  durationMs: number | null;
  error: string | null;
}

let pawl: RunningPawl;
let jobs: Job[];
let rows: Row[];

before(async () => {
  pawl = await startTestPawl();
  const { data: collection } = await pawl.client.createCollection({ body: { name: "night" } });
  jobs = [];
  for (const [name, tags, collectionId] of [
    ["nightly orders", ["a"], null],
    ["nightly invoices", [], collection.id],
    ["Digest", ["b"], null],
  ] as const) {
    jobs.push(
      (await pawl.client.createJob({ body: { ...jobOf({ name, tags: [...tags] }), collectionId } })).data,
    );
  }
  rows = fc
    .sample(
      fc.record({
        job: fc.nat(2),
        status: fc.constantFrom(...executionStatuses),
        triggeredBy: fc.constantFrom("api", "schedule", "manual"),
        triggerSource: fc.option(fc.constantFrom("ui", "cron")),
        startedBy: fc.constantFrom("admin", "ci"),
        // Over several months: more than one partition.
        age: fc.oneof(fc.integer({ min: 0, max: 48 }), fc.integer({ min: 0, max: 24 * 120 })),
        durationMs: fc.constantFrom(0, 5, 1500, 60_000),
        error: text,
      }),
      { numRuns: 200, seed: 3 },
    )
    .map(({ job, age, durationMs, error, ...made }, i) => {
      const startTime = new Date(now - age * HOUR - i);
      const over = !["RUNNING", "PAUSED"].includes(made.status);
      const message = made.status === "FAILED" ? error : null;
      const { id: jobId, name: jobName } = jobs[job]!;
      return {
        id: `${firstIdAt(startTime.getTime()).slice(0, 14)}7000-8000-${String(i).padStart(12, "0")}`,
        name: jobName,
        description: message,
        jobId,
        jobName,
        ...made,
        startTime,
        endTime: over ? new Date(startTime.getTime() + durationMs) : null,
        durationMs: over ? durationMs : null,
        error: message,
      };
    });
  // History as the engine leaves it, but of months: it can't be made by running it.
  const pool = createPool({ url: pawl.databaseUrl });
  for (const row of rows) {
    await pool.query(
      `insert into execution (id, job_id, job_version, job_name, workflow_id, status, triggered_by, trigger_source, started_by,
         parameters, started_at, ended_at, error) values ($1, $2, 1, $3, $1, $4, $5, $6, $7, '{"day":1}', $8, $9, $10)`,
      [
        row.id,
        row.jobId,
        row.jobName,
        row.status,
        row.triggeredBy,
        row.triggerSource,
        row.startedBy,
        row.startTime,
        row.endTime,
        row.error === null ? null : JSON.stringify({ code: "STEP_FAILED", message: row.error }),
      ],
    );
  }
  await pool.end();
});
after(() => pawl.close());

const group = (value: unknown, matchMode: string) => ({
  operator: "and",
  constraints: [{ matchMode, value }],
});

describe("POST /jobExecution/search", () => {
  it("finds what a plain search in memory finds, in the same order, of what the caller may see", async () => {
    const viewers = [
      { of: jobs, token: pawl.admin },
      {
        of: jobs.slice(0, 1),
        token: (await pawl.principal(["JobService:JobExecution:read"], { tags: ["a"] })).token,
      },
      {
        of: jobs.slice(1, 3),
        token: (
          await pawl.principal(["*:*:*"], { ids: [jobs[2]!.id], collections: [jobs[1]!.collectionId!] })
        ).token,
      },
      { of: [], token: (await pawl.principal(["*:*:*"], {})).token },
    ];
    const ago = fc.oneof(
      fc.integer({ min: 0, max: 24 * 120 }).map((hours) => new Date(now - hours * HOUR).toISOString()),
      fc.constantFrom(...rows.map((row) => row.startTime.toISOString()), "1970-01-01", "9999-12-31"),
    );
    const fields: Record<string, fc.Arbitrary<unknown>> = {
      jobId: constraints(exact, fc.constantFrom(...jobs.map(({ id }) => id))),
      jobName: constraints(textual, fc.constantFrom("night", "Digest", "nightly orders")),
      status: constraints(exact, fc.constantFrom(...executionStatuses)),
      triggeredBy: constraints(textual, fc.constantFrom("api", "SCHEDULE", "man")),
      triggerSource: constraints(textual, fc.constantFrom("ui", "cron")),
      startedBy: constraints(textual, fc.constantFrom("admin", "ci")),
      startTime: constraints(ranged, ago),
      endTime: constraints(ranged, ago),
      durationMs: constraints(ranged, fc.constantFrom(0, 5, 6, 1500.5)),
      error: constraints(textual, text),
    };
    const request = fc.record(
      {
        page: fc.nat(2),
        size: fc.constantFrom(1, 10, 300),
        sortBy: fc.constantFrom("id", "relevance", ...Object.keys(fields).filter((name) => name !== "jobId")),
        sortOrder: fc.constantFrom("asc" as const, "desc" as const),
        searchText: fc.option(
          fc
            .array(fc.constantFrom("night", "timeout", "%", "orders"), { maxLength: 2 })
            .map((list) => list.join(" ")),
        ),
        filters: fc.option(
          fc
            .subarray(Object.keys(fields), { maxLength: 3 })
            .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, fields[name]!])))),
        ),
      },
      { requiredKeys: [] },
    );
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(3), request, async (viewer, body) => {
        const { of, token } = viewers[viewer]!;
        const answer = await pawl.send({ method: "POST", path: "/jobExecution/search", token, body });
        assert.equal(answer.status, 200, answer.text);
        const seen = rows.filter((row) => of.some(({ id }) => id === row.jobId));
        const wanted = findInMemory(seen, body as FilterRequest);
        assert.deepEqual(
          answer.json.data.map((one: { id: string }) => one.id),
          wanted.ids,
        );
        assert.equal(answer.json.meta.totalElements, wanted.total);
        found += wanted.total;
      }),
      { numRuns: oracleRuns(300) },
    );
    assert.ok(found > 1000, "the requests found next to nothing");
  });

  it("finds what failed in the last hour, whole but for its steps", async () => {
    const body = {
      filters: {
        status: group("FAILED", "equals"),
        startTime: group(new Date(now - 24 * HOUR).toISOString(), "gte"),
      },
      size: 1,
    };
    const { json } = await pawl.send({ method: "POST", path: "/jobExecution/search", body });
    const last = rows.filter((row) => row.status === "FAILED" && row.startTime.getTime() >= now - 24 * HOUR);
    assert.equal(json.meta.totalElements, last.length);
    const {
      id,
      jobId,
      jobName,
      status,
      startTime,
      endTime,
      durationMs,
      triggeredBy,
      triggerSource,
      startedBy,
      error,
    } = last.sort((a, b) => (a.id < b.id ? 1 : -1))[0]!;
    assert.deepEqual(json.data[0], {
      id,
      jobId,
      jobName,
      jobVersion: 1,
      workflowId: id,
      run: 1,
      status,
      startTime: startTime.toISOString(),
      endTime: endTime!.toISOString(),
      durationMs,
      triggeredBy,
      triggerSource,
      startedBy,
      client: null,
      parameters: { day: 1 },
      error: { code: "STEP_FAILED", message: error },
      heldFor: null,
    });
    assert.deepEqual(Object.keys(json.meta), ["totalElements", "page", "size"]);
  });

  it("finds an execution as soon as its start is answered", async () => {
    const { data } = await pawl.client.startJob({ body: { jobId: jobs[0]!.id, async: false } });
    const { data: found } = await pawl.client.searchExecutions({
      body: {
        size: 1,
        filters: {
          startTime: { operator: "and", constraints: [{ matchMode: "gte", value: data.startedAt }] },
        },
      },
    });
    assert.equal(found[0]!.id, data.executionId);
  });

  it("refuses what it does not know, and names it", async () => {
    const table: [object, RegExp][] = [
      [{ sortBy: "started_at" }, /sortBy/],
      [{ sortBy: "parameters" }, /sortBy/],
      [{ filters: { "e.id": group("x", "equals") } }, /is not a field/],
      [{ filters: { status: group("BROKEN", "equals") } }, /RUNNING, PAUSED/],
      [{ filters: { status: group("FAIL", "contains") } }, /not possible/],
      [{ filters: { durationMs: group("5", "gt") } }, /must be a number/],
      [{ filters: { startTime: group("1h", "gte") } }, /must be a date/],
      [{ filters: { jobId: group("nightly", "equals") } }, /must be an id/],
      [{ size: 1001 }, /1000/],
      [{ searchText: "x".repeat(257) }, /256/],
    ];
    for (const [body, reason] of table) {
      const { status, text: answer } = await pawl.send({
        method: "POST",
        path: "/jobExecution/search",
        body,
      });
      assert.equal(status, 400, answer);
      assert.match(answer, reason);
    }
  });

  it("has the fields that the contract names", () => {
    assert.deepEqual(Object.keys(executionFields), [...searchFields.searchExecutions]);
  });
});
