import assert from "node:assert/strict";
import { once } from "node:events";
import { describe, test } from "node:test";
import { ApiError } from "../contract/errors.ts";
import type { EngineEvent } from "../engine/engine.ts";
import { eventHub, type HubLimits } from "./event-hub.ts";
import { eventStream, type StreamOptions } from "./event-stream.ts";

/** An engine that says what the test has it say. */
function speaker() {
  const listeners = new Set<(event: EngineEvent) => void>();
  const gaps = new Set<() => void>();
  let n = 0;
  return {
    listeners,
    subscribe(listener: (event: EngineEvent) => void, onGap = () => {}) {
      listeners.add(listener);
      gaps.add(onGap);
      return () => {
        listeners.delete(listener);
        gaps.delete(onGap);
      };
    },
    /** Something was missed. */
    miss() {
      for (const onGap of gaps) onGap();
    },
    say(executionId: string, jobId = "j") {
      for (const listener of listeners) listener({ executionId, jobId, at: ++n, status: "RUNNING" });
    },
  };
}

function hubOf(limits: Partial<HubLimits> = {}) {
  const engine = speaker();
  return { engine, hub: eventHub(engine, limits) };
}

describe("the hub of events", () => {
  test("hands each watcher what it watches, in order, each with an id of its own", () => {
    const { engine, hub } = hubOf();
    const [one, all] = [hub.subscribe("a"), hub.subscribe(undefined)];
    for (const id of ["a", "b", "a"]) engine.say(id);
    assert.deepEqual(
      one.take().map(({ event }) => event.at),
      [1, 3],
    );
    const ids = all.take().map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(all.take(), []);
    hub.close();
  });

  test("begins anew when something was missed: nobody goes on after an event of before", () => {
    const { engine, hub } = hubOf();
    const watcher = hub.subscribe(undefined);
    engine.say("a");
    const [before] = watcher.take();
    engine.say("a");
    engine.miss();
    assert.deepEqual([watcher.isBroken(), watcher.isBroken()], [true, false], "one snapshot is due");
    assert.deepEqual(watcher.take(), [], "the snapshot has it");
    engine.say("a");
    const [after] = watcher.take();
    assert.notEqual(after!.id.split("-")[0], before!.id.split("-")[0]);
    const back = hub.subscribe(undefined);
    assert.equal(back.since(before!.id), undefined);
    assert.equal(back.since(`${before!.id.split("-")[0]}-1`), undefined);
    hub.close();
  });

  test("replays what came after an event that it still knows", () => {
    const { engine, hub } = hubOf({ kept: 3 });
    const first = hub.subscribe(undefined);
    engine.say("a");
    const { id } = first.take()[0]!;
    for (const execution of ["b", "a", "b"]) engine.say(execution);
    const back = hub.subscribe("a");
    assert.deepEqual(
      back.since(id)?.map(({ event }) => event.at),
      [3],
    );
    engine.say("a");
    assert.equal(back.since(id), undefined, "one event after it is forgotten by now");
    assert.equal(back.since("00000000-1"), undefined, "of another process");
    assert.equal(back.since("nonsense"), undefined);
    assert.equal(back.since(`${id.split("-")[0]}-99`), undefined, "yet to come");
    hub.close();
  });

  test("listens only while somebody watches, and for a while after", async () => {
    const { engine, hub } = hubOf({ lingerMs: 1 });
    assert.equal(engine.listeners.size, 0);
    const own = hub.subscribe("a");
    assert.equal(engine.listeners.size, 1);
    const before = own.position();
    own.end();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(engine.listeners.size, 0);
    assert.equal(hub.subscribe("a").since(before), undefined, "it may have missed some");
    hub.close();
  });

  test("cuts off who falls too far behind, and nobody else", () => {
    const { engine, hub } = hubOf({ waiting: 2 });
    const [slow, quick] = [hub.subscribe(undefined), hub.subscribe(undefined)];
    for (let i = 0; i < 3; i++) {
      engine.say("a");
      quick.take();
    }
    assert.deepEqual([slow.isOver(), quick.isOver()], [true, false]);
    hub.close();
  });

  test("bounds how many watch, and takes nobody once it is closed", () => {
    const { hub } = hubOf({ subscribers: 1 });
    const first = hub.subscribe("a");
    const overloaded = (error: unknown) => error instanceof ApiError && error.code === "OVERLOADED";
    assert.throws(() => hub.subscribe("b"), overloaded);
    first.end();
    const second = hub.subscribe("b");
    hub.close();
    assert.equal(second.isOver(), true);
    assert.throws(() => hub.subscribe("b"), overloaded);
  });
});

function streamOf(hub: ReturnType<typeof eventHub>, options: Partial<StreamOptions> = {}) {
  return eventStream({
    hub,
    lastEventId: undefined,
    signal: new AbortController().signal,
    snapshot: async () => ({ all: true }),
    maySee: async () => true,
    recheck: async () => {},
    heartbeatMs: 20,
    ...options,
  });
}

describe("a stream of events", () => {
  test("begins with a snapshot, beats while nothing happens, and leaves out what may not be seen", async () => {
    const { engine, hub } = hubOf();
    const stream = streamOf(hub, { maySee: async (jobId) => jobId === "mine" });
    let text = "";
    for await (const part of stream) {
      text += part;
      if (String(part).includes("snapshot")) {
        engine.say("x", "foreign");
        engine.say("y", "mine");
      }
      if (text.includes("still here")) break;
    }
    assert.match(text, /^retry: 1000\n\nevent: snapshot\nid: \S+-0\ndata: {"all":true}\n\n/);
    assert.match(text, /event: execution\nid: \S+-2\ndata: {"executionId":"y","jobId":"mine"/);
    assert.doesNotMatch(text, /foreign/);
    hub.close();
  });

  test("has a snapshot again after something was missed, and goes on from there", async () => {
    const { engine, hub } = hubOf();
    const stream = streamOf(hub, { heartbeatMs: 1_000 });
    let text = "";
    for await (const part of stream) {
      text += part;
      const snapshots = text.split("event: snapshot").length - 1;
      if (text.includes('"executionId":"after"')) break;
      if (snapshots === 1 && !text.includes('"executionId":"before"')) engine.say("before");
      else if (snapshots === 1) engine.miss();
      else engine.say("after");
    }
    const ids = [...text.matchAll(/^id: (\S+)-(\d+)$/gm)].map(([, epoch, number]) => [epoch, Number(number)]);
    assert.deepEqual(
      ids.map(([, number]) => number),
      [0, 1, 0, 1],
    );
    assert.deepEqual([ids[0]![0] === ids[1]![0], ids[1]![0] === ids[2]![0]], [true, false]);
    hub.close();
  });

  test("ends when the caller may watch no longer, and when the hub closes", async () => {
    for (const how of ["recheck", "close"]) {
      const { hub } = hubOf();
      const recheck = async () => {
        if (how === "recheck") throw new ApiError("UNAUTHENTICATED", "Revoked.");
        hub.close();
      };
      const stream = streamOf(hub, { recheck });
      stream.resume();
      await once(stream, "close");
    }
  });

  test("is cut when its client takes nothing", async () => {
    const { engine, hub } = hubOf();
    const stream = streamOf(hub, { heartbeatMs: 10 });
    stream.on("error", () => {});
    stream.read();
    const flood = setInterval(() => engine.say("a"), 1);
    await once(stream, "close");
    clearInterval(flood);
    hub.close();
  });
});
