import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Client, createClient } from "../client/client.ts";
import { ClientError } from "../client/error.ts";
import type { JobExecution } from "../contract/execution.ts";
import { exitOf, follow } from "./watch.ts";

type Status = JobExecution["status"];

/** What the server answers, one after the other: a status of the execution, a failure by its code, or a cut connection. */
let answers: (Status | "STORE_UNAVAILABLE" | "NOT_FOUND" | "cut")[];
let client: Client;

const server = createServer((request, response) => {
  // Without events it polls: each answer is one look.
  if (request.url!.endsWith("/events")) return void response.writeHead(404).end();
  const next = answers.shift();
  if (next === "cut") return void response.destroy();
  if (next === "STORE_UNAVAILABLE" || next === "NOT_FOUND") {
    const error = { code: next, requestId: "r" };
    response.writeHead(next === "NOT_FOUND" ? 404 : 503, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ status: "error", message: `${next}.`, data: null, error }));
  }
  const data = { id: "e", status: next, stepExecutions: [] };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ status: "success", message: "", data, error: null }));
});

function recorder() {
  const shown: string[] = [];
  const view = {
    show: (execution: JobExecution) => void shown.push(execution.status),
    say: (text: string) => void shown.push(text),
    close() {},
  };
  return { shown, view };
}

describe("watching an execution", () => {
  before(async () => {
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  after(() => server.close());
  beforeEach(() => {
    answers = [];
  });

  for (const [status, exit] of [
    ["COMPLETED", "ok"],
    ["FAILED", "failed"],
    ["STOPPED", "stopped"],
  ] as const) {
    it(`ends at ${status}, which means "${exit}"`, async () => {
      answers = ["RUNNING", "PAUSED", "RUNNING", status];
      const { shown, view } = recorder();
      const ended = await follow(client, "e", view, new AbortController().signal);
      assert.equal(exitOf(ended), exit);
      assert.deepEqual(shown, ["RUNNING", "PAUSED", "RUNNING", status]);
    });
  }

  it("outlasts a server that is away for a moment", async () => {
    answers = ["RUNNING", "cut", "STORE_UNAVAILABLE", "COMPLETED"];
    const { shown, view } = recorder();
    await follow(client, "e", view, new AbortController().signal);
    assert.deepEqual([shown[0], shown.at(-1)], ["RUNNING", "COMPLETED"]);
    assert.match(shown[1]!, /closed the connection before it answered.* Still trying\./);
    assert.equal(shown[2], "STORE_UNAVAILABLE. Still trying.");
  });

  it("gives up at a refusal", async () => {
    answers = ["RUNNING", "NOT_FOUND"];
    await assert.rejects(
      follow(client, "e", recorder().view, new AbortController().signal),
      (error) => error instanceof ClientError && error.code === "NOT_FOUND",
    );
  });

  it("ends when it is told to", async () => {
    answers = Array.from({ length: 100 }, () => "RUNNING" as const);
    const abort = new AbortController();
    const { view } = recorder();
    const seen = { ...view, show: () => abort.abort(new Error("enough")) };
    await assert.rejects(follow(client, "e", seen, abort.signal));
  });
});
