import assert from "node:assert/strict";
import { test } from "node:test";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";

const running = (name: string, ...ids: string[]) =>
  jobOf({ name, steps: ids.map((jobId, i) => ({ key: `s${i}`, type: "job", input: { jobId } })) });

test("a job may run another that exists", async (t) => {
  const app = await jobsApp(t);
  const inner = await app.make(jobOf({ name: "inner" }));
  const outer = await app.call("POST", "/jobs", running("outer", inner.id));
  assert.equal(outer.status, 201);
});

test("refuses a step that runs a job that is not there, or by an expression, with its place", async (t) => {
  const app = await jobsApp(t);
  const missing = await app.call("POST", "/jobs", running("a", "01a1fd96-6513-761e-873d-5dcb76ea7536"));
  assert.equal(missing.status, 400);
  assert.equal(missing.response.json().error.details[0].path, "/steps/0/input/jobId");
  const dynamic = await app.call("POST", "/jobs", running("a", "{{ params.which }}"));
  assert.equal(dynamic.status, 400);
});

test("refuses loops, direct and through others, and names the way", async (t) => {
  const app = await jobsApp(t);
  const a = await app.make(jobOf({ name: "a" }));
  const self = await app.call("PUT", `/jobs/${a.id}`, running("a", a.id));
  assert.equal(self.status, 400);
  const b = await app.make(running("b", a.id));
  const c = await app.make(running("c", b.id));
  const loop = await app.call("PUT", `/jobs/${a.id}`, running("a", c.id));
  assert.equal(loop.status, 400);
  assert.match(loop.response.json().error.details[0].message, /'c' runs 'b' runs this job/);
});
