import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../../src/client/client.ts";
import { ClientError } from "../../src/client/error.ts";
import { newId } from "../../src/lib/ids.ts";
import { gate } from "../helpers/gate.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl();
});
after(() => pawl.close());

let jobs = 0;
async function startJob(steps: object[], tags: string[] = []) {
  const made = await pawl.client.createJob({
    body: { name: `job ${++jobs}`, tags, steps: steps as [{ key: string; type: string }] },
  });
  const { data } = await pawl.client.startJob({ body: { jobId: made.data.id } });
  return { jobId: made.data.id, id: data.executionId };
}
const ask = (url: string) => ({ key: "ask", type: "http", input: { url } });
const set = (key: string) => ({ key, type: "set", input: { values: {} } });

type Told = { event: string; id: string; data: Record<string, never> };

/** Reads events until one is the last that is wanted. */
async function readUntil(
  stream: AsyncIterable<unknown>,
  isLast: (event: Told) => boolean,
  onEach: (event: Told) => void = () => {},
): Promise<Told[]> {
  const all: Told[] = [];
  for await (const item of stream) {
    const event = item as Told;
    all.push(event);
    onEach(event);
    if (isLast(event)) break;
  }
  return all;
}

const watch = (id: string, headers: Record<string, string> = {}, client: Client = pawl.client) =>
  client.watchExecution({ params: { id }, headers });
const isEnd = ({ event, data }: Told) => event === "execution" && data.status === "COMPLETED";

describe("GET /jobExecution/{id}/events", () => {
  test("tells first how it stands, then every change of it and of its steps, in order", async () => {
    await using held = await gate();
    const { id } = await startJob([ask(held.url), set("next")]);
    const response = await held.asked();
    const told = await readUntil(watch(id), isEnd, ({ event }) => {
      if (event === "snapshot") response.end();
    });
    assert.equal(told[0]!.event, "snapshot");
    assert.equal(told[0]!.data.id, id);
    assert.equal(told[0]!.data.status, "RUNNING");
    const changes = told
      .slice(1)
      .map(({ data }) => `${(data.step as { key: string } | undefined)?.key ?? "all"} ${data.status}`);
    assert.deepEqual(changes.slice(-4), ["ask COMPLETED", "next RUNNING", "next COMPLETED", "all COMPLETED"]);
    assert.ok(told.every(({ data }) => (data.executionId ?? data.id) === id));
    assert.equal(new Set(told.map((event) => event.id)).size, told.length);
  });

  test("goes on after Last-Event-ID without a gap; an id that it does not know brings a snapshot", async () => {
    await using held = await gate();
    const { id } = await startJob([ask(held.url), set("next")]);
    const response = await held.asked();
    const [snapshot] = await readUntil(watch(id), () => true);
    response.end();
    await pawl.ended(id);
    const missed = await readUntil(watch(id, { "last-event-id": snapshot!.id }), isEnd);
    assert.ok(missed.length >= 4 && missed.every(({ event }) => event !== "snapshot"));
    const rest = await readUntil(watch(id, { "last-event-id": missed[1]!.id }), isEnd);
    assert.deepEqual(rest, missed.slice(2));
    const [fresh] = await readUntil(watch(id, { "last-event-id": "elsewhere-7" }), () => true);
    assert.deepEqual([fresh!.event, fresh!.data.status], ["snapshot", "COMPLETED"]);
  });

  test("is refused as every other route", async () => {
    const { id } = await startJob([set("a")]);
    const powerless = await pawl.principal([]);
    const foreign = await pawl.principal(["*:*:*"], { tags: ["elsewhere"] });
    for (const [client, execution, status] of [
      [pawl.as("pawl_nope"), id, 401],
      [powerless.client, id, 403],
      [foreign.client, id, 404],
      [pawl.client, newId(), 404],
      [pawl.client, "x", 400],
    ] as const) {
      await assert.rejects(
        readUntil(watch(execution, {}, client), () => true),
        (error) => error instanceof ClientError && error.status === status,
      );
    }
  });

  test("has the headers that proxies need, and is not counted against time limits of requests", async () => {
    const { id } = await startJob([set("a")]);
    const abort = new AbortController();
    const answer = await fetch(`${pawl.url}/jobExecution/${id}/events`, {
      headers: { authorization: `Bearer ${pawl.admin}` },
      signal: abort.signal,
    });
    assert.equal(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(answer.headers.get("cache-control"), "no-store");
    assert.equal(answer.headers.get("x-accel-buffering"), "no");
    abort.abort();
  });
});

describe("GET /events", () => {
  test("tells of all that the caller may see, and of nothing else", async () => {
    await using held = await gate();
    const mine = await startJob([ask(held.url)], ["mine"]);
    const theirs = await startJob([{ key: "long", type: "wait", input: { duration: "1h" } }], ["theirs"]);
    const response = await held.asked();
    const limited = await pawl.principal(["*:*:*"], { tags: ["mine"] });
    const told = await readUntil(limited.client.watchExecutions({}), isEnd, ({ event }) => {
      if (event !== "snapshot") return;
      const stop = pawl.client.stopExecution({ body: { jobExecutionId: theirs.id } });
      void stop.then(() => response.end());
    });
    const { executions, total } = told[0]!.data as unknown as { executions: { id: string }[]; total: number };
    assert.deepEqual([executions.map(({ id }) => id), total], [[mine.id], 1]);
    assert.ok(told.slice(1).every(({ data }) => data.executionId === mine.id));
  });

  test("tells of pauses, decisions and restarts", async () => {
    const { id } = await startJob([
      { key: "ok", type: "approval", input: { message: "May it?" } },
      { key: "burst", type: "script", input: { source: "throw 1" } },
    ]);
    await pawl.readUntil(id, ({ status }) => status === "PAUSED");
    const control = { body: { jobExecutionId: id } };
    const acts = [
      () => pawl.client.answerExecution({ body: { jobExecutionId: id, approve: true } }),
      () => pawl.client.restartExecution(control),
    ];
    let failed = 0;
    const told = await readUntil(
      watch(id),
      ({ event, data }) => event === "execution" && data.status === "FAILED" && ++failed === 2,
      ({ event, data }) => {
        if (event === "snapshot" || (event === "execution" && data.status === "FAILED"))
          void acts.shift()?.();
      },
    );
    const changes = told.filter(({ event }) => event === "execution").map(({ data }) => data.status);
    assert.deepEqual(changes, ["RUNNING", "FAILED", "RUNNING", "FAILED"]);
  });
});

test("a pause is told again once the step under way has ended, when nothing is draining any more", async () => {
  await using held = await gate();
  const { id } = await startJob([ask(held.url), { key: "next", type: "set", input: { values: {} } }]);
  const response = await held.asked();
  let pauses = 0;
  const isPause = ({ event, data }: Told) => event === "execution" && data.status === "PAUSED";
  await readUntil(
    watch(id),
    (told) => isPause(told) && ++pauses === 2,
    (told) => {
      if (told.event === "snapshot") void pawl.client.pauseExecution({ body: { jobExecutionId: id } });
      if (isPause(told)) response.end();
    },
  );
  const { data } = await pawl.client.getExecution({ params: { id } });
  assert.equal(data.draining, false);
  assert.deepEqual(
    data.stepExecutions.map(({ status }) => status),
    ["COMPLETED", "PENDING"],
  );
  await pawl.client.stopExecution({ body: { jobExecutionId: id } });
});

test("a shutdown ends the streams at once, whatever grace requests have", async () => {
  const own = await startTestPawl({ PAWL_SHUTDOWN_GRACE: "20s" });
  const stream = own.client.watchExecutions({});
  assert.equal(((await stream.next()).value as Told).event, "snapshot");
  const began = performance.now();
  const ended = readUntil(stream, () => false);
  await own.close();
  await ended.catch(() => {});
  assert.ok(performance.now() - began < 10_000);
});

describe("POST /admin/drain", () => {
  test("is refused to those who may not, begins no new step, and makes readiness false", async () => {
    await using own = await startTestPawl();
    await using held = await gate();
    const { token } = await own.principal(["JobService:*:*"]);
    const post = (as?: string | null) => own.send({ method: "POST", path: "/admin/drain", token: as });
    assert.equal((await post(null)).status, 401);
    assert.equal((await post(token)).status, 403);
    assert.equal((await own.send({ method: "GET", path: "/health/ready" })).status, 200);
    const engine = async () => (await own.client.readEngine()).data;
    const { version, startedAt, ...before } = await engine();
    assert.deepEqual(before, { state: "running", reason: null, running: 0, queued: 0 });
    assert.ok(/^\d+\.\d+\.\d+/.test(version) && Date.parse(startedAt) <= Date.now());
    const job = await own.client.createJob({
      body: { name: "two", steps: [ask(held.url), set("next")] },
    });
    const { data } = await own.client.startJob({ body: { jobId: job.data.id } });
    const response = await held.asked();
    const first = await post();
    assert.deepEqual([first.status, first.json.data], [200, { draining: true, running: 1 }]);
    const draining = await engine();
    assert.deepEqual([draining.state, draining.running], ["draining", 1]);
    assert.match(draining.reason!, /draining/);
    const ready = await own.send({ method: "GET", path: "/health/ready" });
    assert.deepEqual([ready.status, ready.json.error.details[0].path], [503, "checks/engine"]);
    response.end();
    const drained = await own.readUntil(data.executionId, (execution) =>
      execution.stepExecutions.some((step) => step.status === "COMPLETED"),
    );
    assert.notEqual(drained.stepExecutions[1]!.status, "COMPLETED");
    let running = 1;
    while (running > 0) running = (await post()).json.data.running;
    assert.equal((await own.client.getExecution({ params: { id: data.executionId } })).data.endTime, null);
  });
});
