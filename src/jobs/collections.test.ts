import assert from "node:assert/strict";
import { test } from "node:test";
import { jobOf, jobsApp } from "../../test/helpers/jobs-app.ts";
import { assertRefused } from "../../test/helpers/walk-routes.ts";
import { newId } from "../lib/ids.ts";

type App = Awaited<ReturnType<typeof jobsApp>>;

async function collection({ call }: App, name: string, more: object = {}) {
  const made = await call("POST", "/collection", { name, ...more });
  assert.equal(made.status, 201, made.response.body);
  return made.data;
}

const inCollection = (id: string) => ({
  filters: { collectionId: { operator: "and", constraints: [{ matchMode: "equals", value: id }] } },
});

test("keeps collections: made, read, changed, found, deleted", async (t) => {
  const app = await jobsApp(t);
  const made = await collection(app, "Finance", { description: "d", category: "c", tags: ["t"] });
  const { id, createdAt, updatedAt, ...rest } = made;
  assert.deepEqual(rest, {
    name: "Finance",
    description: "d",
    category: "c",
    tags: ["t"],
    jobCount: 0,
    createdBy: "admin",
    updatedBy: "admin",
  });
  assert.equal(createdAt, updatedAt);
  assert.deepEqual((await app.call("GET", `/collection/${id}`)).data, made);
  const changed = await app.call("PUT", `/collection/${id.toUpperCase()}`, { name: "Money" });
  assert.deepEqual(
    [changed.data.name, changed.data.description, changed.data.tags, changed.data.createdAt],
    ["Money", "", [], createdAt],
  );
  assert.deepEqual((await app.call("POST", "/collection/search", { searchText: "mon" })).data, [
    changed.data,
  ]);
  assert.deepEqual((await app.call("POST", "/search", { searchText: "finance" })).data, []);
  assert.equal((await app.call("DELETE", `/collection/${id}`)).status, 200);
  assertRefused((await app.call("GET", `/collection/${id}`)).response, 404, "NOT_FOUND");
  assert.deepEqual((await app.call("POST", "/search", {})).data, []);
});

test("refuses what it should: who, what, which, and names that are taken", async (t) => {
  const app = await jobsApp(t);
  const { id } = await collection(app, "one");
  await collection(app, "two");
  const reader = await app.principal("reader", ["JobService:Collection:read"]);
  const limited = await app.principal("limited", ["*:*:*"], { tags: ["x"] });
  const table: [string | undefined, string, string, object | undefined, number, string][] = [
    [undefined, "POST", "/collection", { name: "x" }, 401, "UNAUTHENTICATED"],
    [undefined, "GET", `/collection/${id}`, undefined, 401, "UNAUTHENTICATED"],
    [reader.token, "POST", "/collection", { name: "x" }, 403, "FORBIDDEN"],
    [reader.token, "PUT", `/collection/${id}`, { name: "x" }, 403, "FORBIDDEN"],
    [reader.token, "DELETE", `/collection/${id}`, undefined, 403, "FORBIDDEN"],
    [reader.token, "GET", `/step/${newId()}`, undefined, 403, "FORBIDDEN"],
    [limited.token, "POST", "/collection", { name: "x" }, 403, "FORBIDDEN"],
    [limited.token, "GET", `/collection/${id}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", `/collection/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "PUT", `/collection/${newId()}`, { name: "x" }, 404, "NOT_FOUND"],
    [app.admin, "DELETE", `/collection/${newId()}`, undefined, 404, "NOT_FOUND"],
    [app.admin, "GET", "/collection/one", undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/collection", {}, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/collection", { name: "" }, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/collection", { name: "x", jobs: [] }, 400, "VALIDATION_FAILED"],
    [app.admin, "DELETE", `/collection/${id}?moveTo=away`, undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "DELETE", `/collection/${id}?moveTo=${id}`, undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "DELETE", `/collection/${id}?moveTo=${newId()}`, undefined, 400, "VALIDATION_FAILED"],
    [app.admin, "POST", "/collection", { name: "one" }, 409, "CONFLICT"],
    [app.admin, "PUT", `/collection/${id}`, { name: "two" }, 409, "CONFLICT"],
  ];
  for (const [token, method, url, body, status, code] of table) {
    assertRefused((await app.as(token, method, url, body)).response, status, code);
  }
  assert.equal((await app.as(reader.token, "GET", `/collection/${id}`)).data.name, "one");
});

test("files a job where it is told to, without a new version, and leaves it there", async (t) => {
  const app = await jobsApp(t);
  const { id } = await collection(app, "one");
  const made = await app.make({ ...jobOf(), collectionId: id });
  assert.equal(made.collectionId, id);
  const put = (body: object) => app.call("PUT", `/jobs/${made.id}`, body);
  assert.equal((await put(jobOf({ description: "2" }))).data.collectionId, id, "left out: it stays");
  assert.equal(
    (await app.importYaml("name: orders\nsteps: [{ key: a, type: log, input: { message: '' } }]")).data
      .collectionId,
    id,
  );
  const out = await put({ ...jobOf({ description: "2" }), collectionId: null });
  assert.deepEqual([out.data.collectionId, out.data.version], [null, 4]);
  const back = await put({ ...jobOf({ description: "2" }), collectionId: id });
  assert.deepEqual([back.data.collectionId, back.data.version], [id, 4], "moving makes no version");
  assert.equal((await app.call("POST", `/jobs/${made.id}/versions/1/restore`)).data.collectionId, id);
  const found = await app.call("POST", "/jobs/search", inCollection(id));
  assert.deepEqual(
    found.data.map((job: { id: string }) => job.id),
    [made.id],
  );
  assert.equal((await app.call("POST", "/step/search", inCollection(id))).body.meta.totalElements, 2);
  assert.equal((await app.call("GET", `/collection/${id}`)).data.jobCount, 1);
  for (const collectionId of [newId(), "one", 1]) {
    assertRefused((await put({ ...jobOf(), collectionId })).response, 400, "VALIDATION_FAILED");
    assertRefused(
      (await app.call("POST", "/jobs", { ...jobOf({ name: "new" }), collectionId })).response,
      400,
      "VALIDATION_FAILED",
    );
  }
});

test("keeps a collection that holds jobs, unless told where they go", async (t) => {
  const app = await jobsApp(t);
  const [one, two] = [await collection(app, "one"), await collection(app, "two")];
  const job = await app.make({ ...jobOf(), collectionId: one.id });
  const gone = await app.make({ ...jobOf({ name: "gone" }), collectionId: one.id });
  await app.call("DELETE", `/jobs/${gone.id}`);
  const kept = await app.call("DELETE", `/collection/${one.id}`);
  assertRefused(kept.response, 409, "INVALID_STATE");
  assert.match(kept.body.message, /holds 1 job\. .*moveTo=none/);
  const moved = await app.call("DELETE", `/collection/${one.id}?moveTo=${two.id.toUpperCase()}`);
  assert.equal(moved.body.message, "The collection is deleted. Jobs moved: 1.");
  assert.equal((await app.call("GET", `/jobs/${job.id}`)).data.collectionId, two.id);
  assert.equal((await app.call("POST", "/step/search", inCollection(two.id))).body.meta.totalElements, 2);
  assert.equal((await app.call("DELETE", `/collection/${two.id}?moveTo=none`)).status, 200);
  assert.equal((await app.call("GET", `/jobs/${job.id}`)).data.collectionId, null);
  assert.equal((await app.call("POST", "/search?type=collection", {})).body.meta.totalElements, 0);
  const empty = await collection(app, "of a deleted job");
  const last = await app.make({ ...jobOf({ name: "last" }), collectionId: empty.id });
  await app.call("DELETE", `/jobs/${last.id}`);
  assert.equal(
    (await app.call("DELETE", `/collection/${empty.id}`)).status,
    200,
    "deleted jobs are no contents",
  );
});

test("limits by collection hold, follow a job that moves, and can't be moved around", async (t) => {
  const app = await jobsApp(t);
  const [mine, theirs, other] = [
    await collection(app, "mine"),
    await collection(app, "theirs"),
    await collection(app, "other"),
  ];
  const job = await app.make({ ...jobOf({ name: "my job" }), collectionId: mine.id });
  const tagged = await app.make({ ...jobOf({ name: "tagged", tags: ["t"] }), collectionId: theirs.id });
  await app.make({ ...jobOf({ name: "hidden" }), collectionId: theirs.id });
  const me = await app.principal("me", ["*:*:*"], { collections: [mine.id], tags: ["t"] });
  const call = (method: string, url: string, body?: object) => app.as(me.token, method, url, body);
  const names = async (path: string) =>
    (await call("POST", path, {})).data.map((one: { name: string }) => one.name).sort();
  assert.deepEqual(await names("/jobs/search"), ["my job", "tagged"]);
  assert.deepEqual(await names("/collection/search"), ["mine", "theirs"]);
  assert.equal((await call("POST", "/search", {})).body.meta.totalElements, 2 + 4 + 2);
  assert.equal(
    (await call("GET", `/collection/${theirs.id}`)).data.jobCount,
    1,
    "counts what the caller may see",
  );
  assert.equal((await app.call("GET", `/collection/${theirs.id}`)).data.jobCount, 2);
  assert.ok(
    await app.jobs.findStartable(
      { id: me.id, name: "me", authorities: [], tokenId: "", jobs: { collections: [mine.id] } },
      job.id,
    ),
  );

  const refused: [string, string, object | undefined, number][] = [
    ["PUT", `/collection/${theirs.id}`, { name: "x" }, 403],
    ["DELETE", `/collection/${theirs.id}?moveTo=none`, undefined, 403],
    ["DELETE", `/collection/${mine.id}?moveTo=none`, undefined, 403],
    ["DELETE", `/collection/${mine.id}?moveTo=${theirs.id}`, undefined, 403],
    ["DELETE", `/collection/${mine.id}?moveTo=${other.id}`, undefined, 400],
    ["DELETE", `/collection/${other.id}?moveTo=none`, undefined, 404],
    ["PUT", `/jobs/${job.id}`, { ...jobOf({ name: "my job" }), collectionId: null }, 403],
    ["PUT", `/jobs/${job.id}`, { ...jobOf({ name: "my job" }), collectionId: theirs.id }, 403],
    ["PUT", `/jobs/${job.id}`, { ...jobOf({ name: "my job", tags: ["t"] }), collectionId: other.id }, 400],
    ["POST", "/jobs", { ...jobOf({ name: "new" }), collectionId: theirs.id }, 403],
    ["POST", "/jobs", jobOf({ name: "new" }), 403],
  ];
  for (const [method, url, body, status] of refused) {
    const { response } = await call(method, url, body);
    assert.equal(response.statusCode, status, `${method} ${url}: ${response.body}`);
  }
  assert.equal(
    (await call("POST", "/jobs", { ...jobOf({ name: "new" }), collectionId: mine.id })).status,
    201,
  );
  assert.equal(
    (await call("PUT", `/jobs/${tagged.id}`, { ...jobOf({ name: "tagged" }), collectionId: mine.id })).status,
    200,
  );
  assert.equal((await call("PUT", `/collection/${mine.id}`, { name: "all mine" })).status, 200);

  const startable = { id: me.id, name: "me", authorities: [], tokenId: "", jobs: { collections: [mine.id] } };
  await app.jobs.findStartable(startable, job.id);
  await app.call("DELETE", `/collection/${mine.id}?moveTo=none`);
  await assert.rejects(
    app.jobs.findStartable(startable, job.id),
    /no such job/,
    "at once, whatever was cached",
  );
  assert.deepEqual(await names("/jobs/search"), []);
});

test("collections are deleted and filled at once without a loss or a deadlock", async (t) => {
  const app = await jobsApp(t);
  for (let round = 0; round < 5; round++) {
    const [a, b] = [await collection(app, `a${round}`), await collection(app, `b${round}`)];
    const jobs = await Promise.all(
      Array.from({ length: 4 }, (_, i) =>
        app.make({ ...jobOf({ name: `j${round}.${i}` }), collectionId: a.id }),
      ),
    );
    const answers = await Promise.all([
      app.call("DELETE", `/collection/${a.id}?moveTo=${b.id}`),
      ...jobs.map((job, i) =>
        app.call("PUT", `/jobs/${job.id}`, {
          ...jobOf({ name: job.name, description: "x" }),
          collectionId: i % 2 ? b.id : a.id,
        }),
      ),
      app.call("POST", "/jobs", { ...jobOf({ name: `late${round}` }), collectionId: a.id }),
    ]);
    for (const { status, response } of answers) assert.ok([200, 201, 400].includes(status), response.body);
    const { data } = await app.call("POST", "/jobs/search", { size: 1000 });
    for (const job of data) assert.notEqual(job.collectionId, a.id);
    const steps = await app.call("POST", "/step/search", { size: 1000 });
    const places = new Map(
      data.map((job: { id: string; collectionId: string }) => [job.id, job.collectionId]),
    );
    for (const step of steps.data)
      assert.equal(step.collectionId, places.get(step.jobId), "steps are where their job is");
  }
});
