import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "@modelcontextprotocol/client";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf, call, connect, eras } from "./client.ts";
import { makeJobs } from "./jobs.ts";

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let ana: Awaited<ReturnType<typeof assistantOf>>;

before(async () => {
  pawl = await startTestPawl();
  jobs = await makeJobs(pawl);
  ana = await assistantOf(pawl);
});
after(() => pawl.close());

/** A run that naps. */
async function napping(client: Client): Promise<string> {
  const { answer } = await call(client, "start_job", { jobId: jobs.slow.id });
  const id = String(answer.executionId);
  await pawl.readUntil(id, ({ stepExecutions }) => stepExecutions[1]!.status === "WAITING");
  return id;
}

for (const era of eras) {
  describe(`an assistant of the ${era} era`, () => {
    let client: Client;
    before(async () => {
      client = await connect(pawl.url, ana.mcpToken, era);
      assert.equal(client.getProtocolEra(), era);
    });
    after(() => client.close());

    test("finds nine tools that say what they do to the world", async () => {
      const { tools } = await client.listTools();
      const hints = Object.fromEntries(
        tools.map(({ name, annotations: a }) => [
          name,
          [a?.readOnlyHint, a?.destructiveHint, a?.idempotentHint, a?.openWorldHint].map(Number).join(""),
        ]),
      );
      assert.deepEqual(hints, {
        get_job: "1010",
        get_run: "1010",
        get_run_result: "1010",
        list_runs: "1010",
        pause_run: "0010",
        resume_run: "0111",
        search_jobs: "1010",
        start_job: "0101",
        stop_run: "0110",
      });
      for (const { name, title, description, inputSchema, outputSchema } of tools) {
        assert.ok(title && description && description.length < 400, name);
        assert.equal(inputSchema.additionalProperties, false, name);
        assert.equal(outputSchema?.type, "object", name);
      }
    });

    test("finds a job, reads it, starts it, waits for it and reads what it made", async () => {
      const found = await call(client, "search_jobs", {
        query: "greet",
        tags: ["demo", "people"],
        category: "people",
      });
      assert.deepEqual(found.answer, {
        jobs: [
          {
            id: jobs.greet.id,
            name: "greet",
            description: "Greets somebody by name",
            category: "people",
            tags: ["demo", "people"],
            updatedAt: jobs.greet.updatedAt,
            canRun: true,
          },
        ],
        total: 1,
      });
      assert.deepEqual(JSON.parse((found.content as { text: string }[])[0]!.text), found.answer);

      const job = (await call(client, "get_job", { jobId: jobs.greet.id })).answer;
      assert.deepEqual(job.inputSchema, jobs.greet.parameters);
      assert.deepEqual(job.steps, [
        { id: jobs.greet.steps[0]!.id, name: "first" },
        { id: jobs.greet.steps[1]!.id, name: "Say it" },
      ]);

      const args = { jobId: jobs.greet.id, parameters: { name: "Ana" }, waitSeconds: 20 };
      const started = (await call(client, "start_job", args)).answer;
      assert.equal(started.status, "COMPLETED");
      assert.equal(started.finished, true);
      assert.deepEqual(started.result, { greeting: "Hello, Ana" });
      assert.equal(started.runUrl, `${pawl.url}/executions/${started.executionId}`);

      const { executionId } = started;
      const run = (await call(client, "get_run", { executionId, waitSeconds: 20 })).answer;
      assert.deepEqual(run.progress, { stepsDone: 2, stepsTotal: 2 });
      assert.deepEqual(run.allowedActions, ["get_run_result"]);
      const made = (await call(client, "get_run_result", { executionId })).answer as never as {
        outputs: { output: unknown }[];
      };
      assert.deepEqual(
        made.outputs.map(({ output }) => output),
        [{ name: "Ana" }, { greeting: "Hello, Ana" }],
      );
      const again = (await call(client, "get_job", { jobId: jobs.greet.id })).answer as never as {
        lastRun: { executionId: string };
        estimatedDurationMs: number;
      };
      assert.equal(again.lastRun.executionId, executionId);
      assert.ok(again.estimatedDurationMs >= 0);
    });

    test("leaves runs that say who started them, through what", async () => {
      const args = { jobId: jobs.greet.id, parameters: { name: "Ana" } };
      const { executionId } = (await call(client, "start_job", args)).answer;
      const { data } = await pawl.client.getExecution({ params: { id: String(executionId) } });
      assert.deepEqual(
        [data.triggeredBy, data.triggerSource, data.startedBy],
        ["api", "mcp-server", ana.name],
      );
      // A legacy request doesn't name its client; Node's fetch says what it is.
      const named =
        era === "modern" ? { name: "test-assistant", version: "1.2.3" } : { name: "node", version: null };
      assert.deepEqual(data.client, { id: `token:${ana.mcpTokenId}`, ...named });
    });

    test("waits with progress, until the run pauses or the time is over, and the run goes on", async () => {
      const id = await napping(client);
      const told: { progress: number; total?: number; message?: string }[] = [];
      const waiting = call(
        client,
        "get_run",
        { executionId: id, waitSeconds: 20 },
        { onprogress: (progress: (typeof told)[number]) => told.push(progress) },
      );
      const over = await call(client, "get_run", { executionId: id, waitSeconds: 1 });
      assert.equal(over.answer.status, "RUNNING");
      assert.deepEqual(over.answer.allowedActions, ["pause_run", "stop_run"]);
      assert.deepEqual(over.answer.progress, { stepsDone: 1, stepsTotal: 3, currentStep: "Take a nap" });
      const paused = await call(client, "pause_run", { executionId: id, reason: "lunch" });
      assert.equal(paused.answer.action, "PAUSE");
      const { answer } = await waiting;
      assert.deepEqual([answer.status, answer.waitingFor], ["PAUSED", "resume"]);
      assert.deepEqual(answer.allowedActions, ["resume_run", "stop_run"]);
      assert.ok(told.length > 0 && told.every(({ total }) => total === 3), JSON.stringify(told));
      assert.match(told[0]!.message!, /1 of 3 steps done; now Take a nap/);
      for (let i = 1; i < told.length; i++) assert.ok(told[i]!.progress > told[i - 1]!.progress);

      const since = call(client, "get_run", { executionId: id, waitSeconds: 20, sinceStatus: "PAUSED" });
      assert.equal((await call(client, "resume_run", { executionId: id })).answer.action, "RESUME");
      assert.equal((await since).answer.status, "RUNNING");
      const { data } = await pawl.client.getExecution({ params: { id } });
      assert.deepEqual(
        data.actions.map(({ action, actor, reason }) => [action, actor, reason]),
        [
          ["PAUSE", ana.name, "lunch"],
          ["RESUME", ana.name, null],
        ],
      );
      await pawl.client.stopExecution({ body: { jobExecutionId: id } });
    });

    test("has a stop confirmed by the argument where its client can't ask", async () => {
      const id = await napping(client);
      const first = await call(client, "stop_run", { executionId: id });
      assert.equal(first.error?.code, "CONFIRMATION_REQUIRED");
      assert.match(first.error!.message, /run of 'slow'.*RUNNING, 1 of 3 steps done.*confirm: true/);
      const { answer } = await call(client, "stop_run", { executionId: id, confirm: true, reason: "enough" });
      assert.deepEqual([answer.action, answer.status], ["STOP", "STOPPED"]);
      const again = await call(client, "stop_run", { executionId: id, confirm: true });
      assert.equal(again.error?.code, "INVALID_STATE");
      assert.match(again.error!.message, /STOPPED/);
    });

    test("hears every fault of what it asks for", async () => {
      const wrong = await call(client, "start_job", {
        jobId: jobs.greet.id,
        parameters: { name: "A", times: 10, x: 1 },
      });
      assert.equal(wrong.error?.code, "INVALID_PARAMETERS");
      for (const place of ["/parameters/name", "/parameters/times", "/parameters/x"]) {
        assert.ok(wrong.error!.message.includes(place), wrong.error!.message);
      }
      const shape = await call(client, "get_run", { executionId: "x", waitSeconds: 46, nope: 1 });
      assert.equal(shape.error?.code, "INVALID_PARAMETERS");
      for (const name of ["executionId", "waitSeconds", "nope"])
        assert.ok(shape.error!.message.includes(name));
      assert.equal((await call(client, "search_jobs", { cursor: "x" })).error?.code, "INVALID_PARAMETERS");
      const unknown = client.callTool({ name: "drop_tables", arguments: {} });
      await assert.rejects(unknown, { code: -32602 });
    });

    test("is told why a run failed, without what hides in names and errors", async () => {
      const { answer } = await call(client, "start_job", { jobId: jobs.fails.id, waitSeconds: 20 });
      const { failure } = answer as never as {
        failure: { stepName: string; message: string; stepId: string };
      };
      assert.equal(answer.status, "FAILED");
      assert.deepEqual([failure.stepName, failure.stepId], ["Boom", jobs.fails.steps[0]!.id]);
      assert.match(failure.message, /It broke/);
      const texts = [
        answer,
        (await call(client, "get_run", { executionId: answer.executionId })).answer,
        (await call(client, "search_jobs", { query: "fails" })).answer,
        (await call(client, "get_job", { jobId: jobs.fails.id })).answer,
        (await call(client, "list_runs", { jobId: jobs.fails.id })).answer,
      ];
      assert.doesNotMatch(JSON.stringify(texts), /[\u202e\u200b\u{e0041}]/u);
    });

    test("leaves decisions to people", async () => {
      const { answer } = await call(client, "start_job", { jobId: jobs.asks.id, waitSeconds: 20 });
      assert.equal(answer.status, "PAUSED");
      const { executionId } = answer;
      const run = (await call(client, "get_run", { executionId })).answer;
      assert.deepEqual([run.waitingFor, run.allowedActions], ["approval", ["stop_run"]]);
      const resumed = await call(client, "resume_run", { executionId });
      assert.equal(resumed.error?.code, "INVALID_STATE");
      assert.match(resumed.error!.message, /decision/);
      assert.equal((await call(client, "get_run_result", { executionId })).error?.code, "INVALID_STATE");
    });
  });
}

test("starts once for a key, whatever the order of the parameters, and for each user", async () => {
  const client = await connect(pawl.url, ana.mcpToken, "modern");
  const start = (from: Client, parameters: object, idempotencyKey = "k-1") =>
    call(from, "start_job", { jobId: jobs.greet.id, parameters, idempotencyKey });
  const first = await start(client, { name: "Ana", times: 2 });
  const second = await start(client, { times: 2, name: "Ana" });
  assert.equal(second.answer.executionId, first.answer.executionId);
  const other = await start(client, { name: "Ben", times: 2 });
  assert.equal(other.error?.code, "INVALID_PARAMETERS");
  assert.match(other.error!.message, /idempotencyKey was used before/);
  const ben = await assistantOf(pawl);
  const benClient = await connect(pawl.url, ben.mcpToken, "modern");
  const his = await start(benClient, { name: "Ana", times: 2 });
  assert.notEqual(his.answer.executionId, first.answer.executionId);
  await Promise.all([client.close(), benClient.close()]);
});

test("hands out large results whole, in pieces of 64 KiB at most", async () => {
  const client = await connect(pawl.url, ana.mcpToken, "modern");
  const started = await call(client, "start_job", { jobId: jobs.large.id, waitSeconds: 20 });
  assert.equal(started.answer.status, "COMPLETED");
  const { executionId } = started.answer;
  const { data } = await pawl.client.getExecution({ params: { id: String(executionId) } });
  for (const maxBytes of [16_384, 65_536]) {
    const texts = new Map<string, string>();
    let cursor: string | undefined;
    do {
      const result = await call(client, "get_run_result", {
        executionId,
        maxBytes,
        ...(cursor ? { cursor } : {}),
      });
      assert.ok(JSON.stringify(result.answer).length <= 65_536);
      const page = result.answer as never as {
        outputs: { stepId: string; output: unknown; truncated: boolean }[];
        nextCursor?: string;
      };
      for (const { stepId, output, truncated } of page.outputs) {
        texts.set(stepId, (texts.get(stepId) ?? "") + (truncated ? output : JSON.stringify(output)));
      }
      cursor = page.nextCursor;
    } while (cursor);
    const expected = data.stepExecutions.map(({ stepId, output }) => [stepId, JSON.stringify(output)]);
    assert.deepEqual([...texts], expected, `in pieces of ${maxBytes}`);
  }
  const stepIds = [jobs.large.steps[3]!.id];
  const one = await call(client, "get_run_result", { executionId, stepIds });
  assert.deepEqual(one.answer.outputs, [
    { stepId: stepIds[0], stepName: "last", output: { text: "last" }, truncated: false },
  ]);
  const none = await call(client, "get_run_result", { executionId, stepIds: [jobs.slow.id] });
  assert.equal(none.error?.code, "INVALID_PARAMETERS");
  await client.close();
});

test("pages runs without gap or repetition while new ones come", async () => {
  const user = await assistantOf(pawl);
  const client = await connect(pawl.url, user.mcpToken, "modern");
  const start = () => call(client, "start_job", { jobId: jobs.greet.id, parameters: { name: "Ana" } });
  for (let i = 0; i < 5; i++) await start();
  const expected = await pawl.client.searchExecutions({
    body: { size: 1000, sortBy: "startTime", filters: { jobId: only(jobs.greet.id) } },
  });
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const { answer } = await call(client, "list_runs", {
      jobId: jobs.greet.id,
      limit: 3,
      ...(cursor ? { cursor } : {}),
    });
    const page = answer as never as { runs: { executionId: string }[]; nextCursor?: string };
    seen.push(...page.runs.map(({ executionId }) => executionId));
    cursor = page.nextCursor;
    await start();
  } while (cursor);
  assert.deepEqual(
    seen,
    expected.data.map(({ id }) => id),
  );
  const failed = (await call(client, "list_runs", { status: ["FAILED"] })).answer as never as {
    runs: { jobId: string }[];
  };
  assert.ok(failed.runs.length > 0 && failed.runs.every(({ jobId }) => jobId === jobs.fails.id));
  await client.close();
});

function only(value: string) {
  return { operator: "and" as const, constraints: [{ matchMode: "equals" as const, value }] };
}

test("lets a client go away from a wait, and the run goes on", async () => {
  const client = await connect(pawl.url, ana.mcpToken, "modern");
  const id = await napping(client);
  // As many as may wait at once: each place is given back.
  for (let round = 0; round < 2; round++) {
    const abort = new AbortController();
    const begun = Array.from({ length: 10 }, () => Promise.withResolvers<void>());
    const waits = begun.map(({ resolve }) =>
      client.callTool(
        { name: "get_run", arguments: { executionId: id, waitSeconds: 45 } },
        { signal: abort.signal, onprogress: () => resolve() },
      ),
    );
    await Promise.all(begun.map(({ promise }) => promise));
    const eleventh = await call(client, "get_run", { executionId: id, waitSeconds: 1 });
    assert.equal(eleventh.error?.code, "RATE_LIMITED");
    assert.equal(eleventh.error?.retryable, true);
    const unstarted = await call(client, "start_job", { jobId: jobs.slow.id, waitSeconds: 1 });
    assert.equal(unstarted.error?.code, "RATE_LIMITED");
    abort.abort();
    await Promise.allSettled(waits);
    // The server hears of it a little later.
    const free = async () =>
      (await call(client, "get_run", { executionId: id, waitSeconds: 1 })).error === undefined;
    while (!(await free()));
  }
  assert.equal((await pawl.client.getExecution({ params: { id } })).data.status, "RUNNING");
  const runs = await pawl.client.searchExecutions({
    body: { filters: { jobId: only(jobs.slow.id) }, size: 1 },
  });
  assert.equal(runs.data[0]!.id, id, "nothing was started that was answered with a refusal");
  await client.close();
});

describe("a stop that the client's user is asked about", () => {
  const asking = { capabilities: { elicitation: { form: {} } } };

  /** A client whose user answers so. */
  async function asked(answer: object) {
    const client = await connect(pawl.url, ana.mcpToken, "modern", asking);
    const questions: string[] = [];
    client.setRequestHandler("elicitation/create", async ({ params }) => {
      questions.push(String((params as { message?: string }).message));
      return answer as never;
    });
    return { client, questions };
  }

  test("is done when they agree", async () => {
    const { client, questions } = await asked({ action: "accept", content: { confirm: true } });
    const id = await napping(client);
    const { answer } = await call(client, "stop_run", { executionId: id });
    assert.equal(answer.status, "STOPPED");
    assert.match(questions.join(), /Stop the run of 'slow'/);
    await client.close();
  });

  for (const [what, answer] of [
    ["decline", { action: "decline" }],
    ["close the question", { action: "cancel" }],
    ["answer no", { action: "accept", content: { confirm: false } }],
    ["answer something else", { action: "accept", content: { confirm: "yes" } }],
  ] as const) {
    test(`is not done when they ${what}, whatever the model says`, async () => {
      const { client, questions } = await asked(answer);
      const id = await napping(client);
      const refused = await call(client, "stop_run", { executionId: id, confirm: true });
      assert.equal(refused.error?.code, "CANCELLED_BY_USER");
      assert.equal(questions.length, 1);
      assert.equal((await pawl.client.getExecution({ params: { id } })).data.status, "RUNNING");
      await client.close();
    });
  }

  /** A request as a client sends it that makes up its own answers. */
  async function forged(token: string, executionId: string, requestState?: string) {
    const revision = "2026-07-28";
    const answer = await pawl.send({
      method: "POST",
      path: "/mcp",
      token,
      headers: {
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": revision,
        "mcp-method": "tools/call",
        "mcp-name": "stop_run",
      },
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "stop_run",
          arguments: { executionId },
          ...(requestState === undefined
            ? {}
            : {
                requestState,
                inputResponses: { confirm: { action: "accept", content: { confirm: true } } },
              }),
          _meta: {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientCapabilities": asking.capabilities,
            "io.modelcontextprotocol/clientInfo": { name: "forger", version: "1" },
          },
        },
      },
    });
    return answer.json;
  }

  test("is not done on an answer to no question, to another one, or to another user's", async () => {
    const client = await connect(pawl.url, ana.mcpToken, "modern");
    const [one, two] = [await napping(client), await napping(client)];
    const question = (await forged(ana.mcpToken, one)).result;
    assert.equal(question.resultType, "input_required");
    const ben = await assistantOf(pawl);
    const unsigned = question.requestState.replace(/\.[^.]*$/, ".AAAA");
    for (const [token, state] of [
      [ana.mcpToken, "made-up"],
      [ana.mcpToken, unsigned],
      [ben.mcpToken, question.requestState],
    ] as const) {
      const { error } = await forged(token, one, state);
      assert.equal(error.code, -32602);
    }
    const other = (await forged(ana.mcpToken, two, question.requestState)).result;
    assert.equal(other.resultType, "input_required", "it is asked about that one");
    for (const id of [one, two]) {
      assert.equal((await pawl.client.getExecution({ params: { id } })).data.status, "RUNNING");
    }
    const done = (await forged(ana.mcpToken, one, question.requestState)).result;
    assert.equal(done.structuredContent.status, "STOPPED");
    await client.close();
  });
});
