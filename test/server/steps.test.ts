import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import { after, before, describe, test } from "node:test";
import type { JobInput } from "../../src/contract/job.ts";
import { gate } from "../helpers/gate.ts";
import { echo, httpServer } from "../helpers/http-server.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

type Step = JobInput["steps"][number];

let pawl: RunningPawl;

before(async () => {
  pawl = await startTestPawl({ PAWL_STEP_OUTPUT_LIMIT: "64KiB" });
});
after(() => pawl.close());

let jobs = 0;

async function makeJob(steps: Step[], more: Partial<JobInput> = {}) {
  return (await pawl.client.createJob({ body: { name: `job ${++jobs}`, steps, ...more } })).data;
}

/** Runs a job of these steps to its end, and reads what became of it. */
async function run(steps: Step[], more: Partial<JobInput> = {}, parameters: Record<string, unknown> = {}) {
  const job = await makeJob(steps, more);
  const started = await pawl.client.startJob({ body: { jobId: job.id, async: false, parameters } });
  const { data } = await pawl.client.getExecution({ params: { id: started.data.executionId } });
  assert.equal(data.status, started.data.status);
  assert.deepEqual(data.error, started.data.error);
  const logs = (await pawl.client.getExecutionLogs({ params: { id: data.id } })).data;
  const output = (key: string) => data.stepExecutions.find((step) => step.stepKey === key)!.output;
  return { ...data, started: started.data, steps: data.stepExecutions, output, logs };
}

const step = (key: string, type: string, input: Record<string, unknown>, more: Partial<Step> = {}): Step => ({
  key,
  type,
  input,
  ...more,
});
const set = (key: string, values: object, more: Partial<Step> = {}) => step(key, "set", { values }, more);
const throwing = (key: string, more: Partial<Step> = {}) =>
  step(key, "script", { source: "throw new Error('as planned')" }, more);

/** Answers with these statuses in turn, the last of them for good. */
function answering(...statuses: number[]): RequestListener {
  let asked = 0;
  return (_request, response) => {
    const status = statuses[Math.min(asked++, statuses.length - 1)]!;
    response.writeHead(status, { "content-type": "text/plain" }).end(`answer ${asked}`);
  };
}

/** Those that have a suite of their own: what holds and what starts executions, and what uses the configuration service. */
const elsewhere = ["approval", "job", "sql", "dataset", "file", "mcp-tool", "ai-agent"];

test("the steps that are tried here are all the types there are", async () => {
  const { data } = await pawl.client.listStepTypes();
  const here = data.map(({ name }) => name).filter((name) => !elsewhere.includes(name));
  assert.deepEqual(here.sort(), ["http", "log", "script", "set", "transform", "wait"]);
});

describe("each type of step, through the API", () => {
  test("http sends what the templates give, and hands on what comes back", async () => {
    await using server = await httpServer(echo);
    const { status, output } = await run(
      [
        step("ask", "http", {
          method: "POST",
          url: `${server.url}/items/{{ params.id }}`,
          query: { day: "{{ params.day }}", list: [1, "{{ params.id }}"] },
          headers: { "x-job": "{{ job.name }}" },
          json: { items: "{{ params.items }}", text: "id is {{ params.id }}" },
        }),
        set("seen", { body: "{{ steps.ask.output.body }}", status: "{{ steps.ask.output.status }}" }),
      ],
      { name: "sender" },
      { id: 7, day: "2026-01-31", items: [{ a: null }] },
    );
    assert.equal(status, "COMPLETED");
    const seen = output("seen") as { status: number; body: { url: string; body: string; headers: object } };
    assert.equal(seen.status, 200);
    assert.equal(seen.body.url, "/items/7?day=2026-01-31&list=1&list=7");
    assert.deepEqual(JSON.parse(seen.body.body), { items: [{ a: null }], text: "id is 7" });
    const headers = seen.body.headers as Record<string, string>;
    assert.equal(headers["x-job"], "sender");
    assert.match(headers["idempotency-key"]!, /^[0-9a-f-]{36}\/[0-9a-f-]{36}\/1$/);
  });

  test("transform works out JSONata, script JavaScript, set values, log a line", async () => {
    const { status, output, logs, started } = await run(
      [
        step("sum", "transform", { data: "{{ params.items }}", expression: "$sum(amount)" }),
        step("double", "script", {
          source: "console.log('at', steps.sum.output); return steps.sum.output * 2",
        }),
        set("keep", { double: "{{ steps.double.output }}", text: "<{{ steps.double.output }}>" }),
        step("say", "log", { message: "It is {{ steps.keep.output.double }}.", level: "warn" }),
      ],
      {},
      { items: [{ amount: 1.5 }, { amount: 2 }] },
    );
    assert.equal(status, "COMPLETED");
    assert.deepEqual(
      [output("sum"), output("double"), output("keep"), output("say")],
      [3.5, 7, { double: 7, text: "<7>" }, { message: "It is 7." }],
    );
    assert.deepEqual(started.output, { message: "It is 7." });
    assert.deepEqual(
      logs.map(({ stepKey, level, message }) => [stepKey, level, message]),
      [
        ["double", "info", "at 3.5"],
        ["say", "warn", "It is 7."],
      ],
    );
  });

  test("wait is WAITING, with its time, and goes on then", async () => {
    const job = await makeJob([step("pause", "wait", { duration: "600ms" }), set("after", { n: 1 })]);
    const { data } = await pawl.client.startJob({ body: { jobId: job.id } });
    const parked = await pawl.readUntil(
      data.executionId,
      ({ stepExecutions }) => stepExecutions[0]!.status !== "RUNNING",
    );
    const [pause, after] = parked.stepExecutions;
    assert.deepEqual([parked.status, pause!.status, after!.status], ["RUNNING", "WAITING", "PENDING"]);
    const over = await pawl.ended(data.executionId);
    const { output, endTime, status, waitingUntil } = over.stepExecutions[0]!;
    assert.deepEqual([over.status, status, waitingUntil], ["COMPLETED", "COMPLETED", null]);
    assert.deepEqual(output, { waitedUntil: pause!.waitingUntil });
    assert.ok(endTime! >= pause!.waitingUntil!, `${endTime} ${pause!.waitingUntil}`);
  });

  test("a wait for a time that is past is none", async () => {
    const { status, output } = await run([step("past", "wait", { until: "2020-01-01T00:00:00Z" })]);
    assert.deepEqual([status, output("past")], ["COMPLETED", { waitedUntil: "2020-01-01T00:00:00.000Z" }]);
  });
});

describe("a step that fails", () => {
  const failures: [string, Step, string, RegExp][] = [
    [
      "a script that throws",
      throwing("bad"),
      "SCRIPT_FAILED",
      /^The script failed: Error: as planned \(line 1\)\.$/,
    ],
    [
      "a transform that can't be worked out",
      step("bad", "transform", { data: [1], expression: '$number("x")' }),
      "TRANSFORM_FAILED",
      /^The expression failed: .*"x".*\.$/,
    ],
    [
      "an input that turns out to be wrong",
      step("bad", "log", { message: "x", level: "{{ params.level }}" }),
      "INVALID_INPUT",
      /^The input does not fit the step type: input\.level .*\.$/,
    ],
    [
      "an expression that leads nowhere",
      set("bad", { n: "{{ params.none.deeper }}" }),
      "STEP_FAILED",
      /^The expression "params\.none\.deeper" failed: params has no "none"\.$/,
    ],
    [
      "a condition that gives no bool",
      set("bad", {}, { when: "params.level" }),
      "STEP_FAILED",
      /true or false.*a string/,
    ],
    [
      "an output that is too large",
      step("bad", "script", { source: "return 'x'.repeat(70000)" }),
      "OUTPUT_TOO_LARGE",
      /70002 bytes.*65536.*PAWL_STEP_OUTPUT_LIMIT.*Keep only/,
    ],
    [
      "a script that goes on and on",
      step("bad", "script", { source: "while (true);", timeLimitMs: 50 }),
      "TIME_LIMIT",
      /^The script was stopped: it ran for more than its limit of 0\.05 s\.$/,
    ],
    [
      "a target that may not be reached",
      step("bad", "http", { url: "http://169.254.169.254/latest/meta-data/" }),
      "EGRESS_BLOCKED",
      /169\.254\.169\.254/,
    ],
    [
      "a wait whose time turns out to be none",
      step("bad", "wait", { until: "{{ params.level }}" }),
      "INVALID_INPUT",
      /must be a time such as/,
    ],
  ];
  for (const [what, bad, code, message] of failures) {
    test(`fails the execution with its name, a code and a sentence: ${what}`, async () => {
      const { status, error, steps } = await run(
        [set("fine", { n: 1 }), bad, set("never", {})],
        {},
        { level: "loud" },
      );
      assert.equal(status, "FAILED");
      assert.deepEqual(
        steps.map((step) => step.status),
        ["COMPLETED", "FAILED", "PENDING"],
      );
      assert.deepEqual(
        [error!.code, error!.stepKey, error!.stepId],
        [code, "bad", steps[1]!.stepId],
        error!.message,
      );
      assert.match(error!.message, message);
      assert.deepEqual(steps[1]!.error, error);
      assert.equal(steps[1]!.output, null);
    });
  }

  test("can't reach Pawl itself, nor its database", async () => {
    for (const url of [
      `${pawl.url}/me`,
      pawl.url.replace("127.0.0.1", "localhost"),
      pawl.url.replace("127.0.0.1", "[::ffff:127.0.0.1]"),
    ]) {
      const { error } = await run([step("self", "http", { url })]);
      assert.equal(error!.code, "EGRESS_BLOCKED", url);
    }
  });

  test("continues with the next where it is told to, which sees that it failed", async () => {
    const { status, error, steps, output, started } = await run([
      throwing("bad", { onError: "continue" }),
      set("seen", { status: "{{ steps.bad.status }}", output: "{{ steps.bad.output }}" }),
      throwing("last", { onError: "continue" }),
    ]);
    assert.deepEqual([status, error], ["COMPLETED", null]);
    assert.deepEqual(output("seen"), { status: "FAILED", output: null });
    assert.deepEqual(started.output, output("seen"));
    assert.equal(steps[0]!.error!.code, "SCRIPT_FAILED");
  });
});

describe("retry", () => {
  const retry = { maxAttempts: 3, initialDelayMs: 1 };

  test("tries again until it works, and says how often", async () => {
    await using server = await httpServer(answering(503, 429, 200));
    const { status, steps } = await run([step("ask", "http", { url: server.url }, { retry })]);
    assert.equal(status, "COMPLETED");
    assert.deepEqual([steps[0]!.attempts, steps[0]!.error], [3, null]);
    assert.equal((steps[0]!.output as { body: string }).body, "answer 3");
  });

  test("gives up after maxAttempts with the last reason", async () => {
    await using server = await httpServer(answering(503));
    const { status, error, steps } = await run([step("ask", "http", { url: server.url }, { retry })]);
    assert.deepEqual([status, steps[0]!.attempts, server.requests.length], ["FAILED", 3, 3]);
    assert.deepEqual(
      [error!.code, error!.message],
      ["HTTP_STATUS", `GET ${server.url}/ answered 503: answer 3`],
    );
  });

  test("does not try again what can't get better", async () => {
    await using server = await httpServer(answering(404));
    const { steps } = await run([step("ask", "http", { url: server.url }, { retry })]);
    assert.deepEqual([steps[0]!.status, steps[0]!.attempts, server.requests.length], ["FAILED", 1, 1]);
  });

  test("sends the same idempotency key with every try", async () => {
    await using server = await httpServer(answering(500, 500, 200));
    await run([step("ask", "http", { url: server.url, method: "POST" }, { retry })]);
    const keys = server.requests.map(({ headers }) => headers["idempotency-key"]);
    assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
  });

  test("shows a step between two tries as WAITING, with when and why", async () => {
    await using server = await httpServer(answering(500, 200));
    const slow = { maxAttempts: 2, initialDelayMs: 600, maxDelayMs: 600 };
    const job = await makeJob([step("ask", "http", { url: server.url }, { retry: slow })]);
    const { data } = await pawl.client.startJob({ body: { jobId: job.id } });
    const { stepExecutions, status } = await pawl.readUntil(
      data.executionId,
      (it) => it.stepExecutions[0]!.status !== "RUNNING",
    );
    const [waiting] = stepExecutions;
    assert.deepEqual([status, waiting!.status, waiting!.attempts], ["RUNNING", "WAITING", 1]);
    assert.equal(waiting!.error!.code, "HTTP_STATUS");
    assert.ok(waiting!.waitingUntil! > waiting!.startTime!);
    const over = await pawl.ended(data.executionId);
    assert.deepEqual([over.status, over.stepExecutions[0]!.attempts], ["COMPLETED", 2]);
  });

  test("shows the start of the first try, also when it is over", async () => {
    const asked: number[] = [];
    await using server = await httpServer((_request, response) => {
      asked.push(Date.now());
      response.writeHead(asked.length < 3 ? 500 : 200).end();
    });
    const slow = { maxAttempts: 3, initialDelayMs: 30 };
    const { steps } = await run([step("ask", "http", { url: server.url }, { retry: slow })]);
    assert.ok(Date.parse(steps[0]!.startTime!) <= asked[0]!, `${steps[0]!.startTime} ${asked}`);
  });

  test("keeps the log of every try", async () => {
    // Only a timeout is tried again after a script has begun; what is killed needs a new process, within that time.
    const source = "console.log('trying'); while (true);";
    const { logs, error } = await run([
      step("slow", "script", { source }, { retry: { ...retry, maxAttempts: 2 }, timeoutMs: 1200 }),
    ]);
    assert.equal(error!.code, "STEP_TIMEOUT");
    assert.deepEqual(
      logs.map(({ attempt, message }) => [attempt, message.split(",")[0]]),
      [
        [1, "trying"],
        [1, "Try 1 of 2 failed"],
        [2, "Try 2 of 2 begins."],
        [2, "trying"],
      ],
    );
  });
});

describe("when", () => {
  test("skips a step whose condition is false, and its input is never worked out", async () => {
    const { status, steps, output, started } = await run(
      [
        set("big", { n: "{{ params.none }}" }, { when: "params.n > 10" }),
        set("seen", { status: "{{ steps.big.status }}", output: "{{ steps.big.output }}" }),
        set("last", {}, { when: "steps.big.status == 'COMPLETED'" }),
      ],
      {},
      { n: 10 },
    );
    assert.equal(status, "COMPLETED");
    assert.deepEqual(
      steps.map((step) => [step.status, step.attempts]),
      [
        ["SKIPPED", 0],
        ["COMPLETED", 1],
        ["SKIPPED", 0],
      ],
    );
    assert.deepEqual(output("seen"), { status: "SKIPPED", output: null });
    assert.deepEqual(started.output, output("seen"));
  });

  test("completes an execution whose steps are all skipped, with no output", async () => {
    const { status, started } = await run([set("a", {}, { when: "false" }), set("b", {}, { when: "1 > 2" })]);
    assert.deepEqual([status, started.output], ["COMPLETED", null]);
  });
});

describe("timeoutMs", () => {
  test("of a step ends the try, and cuts its connection", async () => {
    await using held = await gate();
    const running = run([step("slow", "http", { url: held.url }, { timeoutMs: 100 })]);
    const response = await held.asked();
    await held.gone(response);
    const { status, error } = await running;
    assert.deepEqual([status, error!.code], ["FAILED", "STEP_TIMEOUT"]);
    assert.equal(error!.message, "The step took longer than its timeoutMs of 100.");
  });

  test("of a step is for one try: the next has its own", async () => {
    await using held = await gate();
    const retry = { maxAttempts: 2, initialDelayMs: 1 };
    const running = run([step("slow", "http", { url: held.url }, { timeoutMs: 300, retry })]);
    await held.gone(await held.asked());
    (await held.asked()).end("second");
    const { status, steps } = await running;
    assert.deepEqual([status, steps[0]!.attempts], ["COMPLETED", 2]);
  });

  test("of the execution ends it, whatever its steps allow", async () => {
    await using held = await gate();
    const retry = { maxAttempts: 100, initialDelayMs: 1 };
    const slow = step("slow", "http", { url: held.url }, { retry, onError: "continue" });
    const running = run([slow, set("never", {})], { timeoutMs: 150 });
    await held.gone(await held.asked());
    const { status, error, steps } = await running;
    assert.deepEqual([status, error!.code, error!.stepKey], ["FAILED", "EXECUTION_TIMEOUT", "slow"]);
    assert.match(error!.message, /^The execution took longer than its timeoutMs/);
    assert.deepEqual(
      steps.map((step) => step.status),
      ["FAILED", "PENDING"],
    );
  });

  test("of the execution ends a wait, at that time and not at the wait's", async () => {
    const { status, error, durationMs } = await run([step("pause", "wait", { duration: "1h" })], {
      timeoutMs: 100,
    });
    assert.deepEqual([status, error!.code], ["FAILED", "EXECUTION_TIMEOUT"]);
    assert.ok(durationMs! >= 100, String(durationMs));
  });

  test("of the execution ends it between steps that are each too quick to be caught", async () => {
    const quick = Array.from({ length: 500 }, (_, n) => set(`s${n}`, { n }));
    const { status, error, steps } = await run(quick, { timeoutMs: 50 });
    assert.deepEqual([status, error?.code], ["FAILED", "EXECUTION_TIMEOUT"]);
    const failed = steps.findIndex((step) => step.status === "FAILED");
    assert.deepEqual([steps[failed]!.attempts, steps[failed]!.error!.stepKey], [0, `s${failed}`]);
    assert.ok(steps.slice(failed + 1).every((step) => step.status === "PENDING"));
  });

  test("of the execution ends a wait for the next try", async () => {
    await using server = await httpServer(answering(503));
    const retry = { maxAttempts: 2, initialDelayMs: 3_600_000, maxDelayMs: 3_600_000 };
    const { status, error } = await run([step("ask", "http", { url: server.url }, { retry })], {
      timeoutMs: 300,
    });
    assert.deepEqual([status, error!.code, server.requests.length], ["FAILED", "EXECUTION_TIMEOUT", 1]);
  });
});

describe("what steps make", () => {
  const odd = {
    "": "empty key",
    quotes: `'"\\ $$ ; -- %_`,
    rtl: "\u202eevil\u202c مرحبا",
    emoji: "👩‍👩‍👧‍👦 🐎",
    control: "a\tb\nc\u0001\u007f\u2028",
    unit: "\ufeff\uffff",
    numbers: [0, -0.5, 1e300, 5e-324, 9007199254740991],
    nested: { a: [[[{ b: [] }]], {}] },
  };

  test("is kept to the letter, be it from parameters, templates or scripts", async () => {
    const { output } = await run(
      [
        set("keep", { it: "{{ params.odd }}" }),
        step("script", "script", { source: "return steps.keep.output.it" }),
        step("transform", "transform", { data: "{{ steps.script.output }}", expression: "$" }),
      ],
      {},
      { odd },
    );
    assert.deepEqual(output("keep"), { it: odd });
    assert.deepEqual(output("script"), odd);
    assert.deepEqual(output("transform"), odd);
  });

  test("is found under keys that objects have by birth", async () => {
    const keys = ["constructor", "prototype", "toString", "valueOf", "hasOwnProperty"];
    const skipped = step("isPrototypeOf", "log", { message: "x" }, { when: "false" });
    const { status, output } = await run([
      ...keys.map((key, n) => set(key, { n })),
      skipped,
      step("script", "script", {
        source: `return ${JSON.stringify(keys)}.map((key) => steps[key].output.n)`,
      }),
      set("cel", Object.fromEntries(keys.map((key) => [`x${key}`, `{{ steps.${key}.output.n }}`]))),
      set("skipped", { status: "{{ steps.isPrototypeOf.status }}" }),
    ]);
    assert.equal(status, "COMPLETED");
    assert.deepEqual(output("script"), [0, 1, 2, 3, 4]);
    assert.deepEqual(Object.values(output("cel") as object), [0, 1, 2, 3, 4]);
    assert.deepEqual(output("skipped"), { status: "SKIPPED" });
  });

  const hostile = [
    ["NUL", "a\\u0000b"],
    ["half a surrogate pair", "a\\ud800b"],
    ["a character beyond the first plane", "a\\ud83d\\udc0eb"],
  ] as const;
  for (const [what, text] of hostile) {
    test(`${what} in a log line or an output harms nobody`, async () => {
      const source = `console.log("${text}"); console.error({ a: "${text}" }); return { "${text}": "${text}" }`;
      const { status, output, logs } = await run([
        step("made", "script", { source }),
        step("say", "log", { message: "{{ steps.made.output }}" }),
        step("plain", "script", { source: `return "${text}"` }),
        step("say2", "log", { message: "{{ steps.plain.output }}" }),
      ]);
      assert.equal(status, "COMPLETED");
      assert.equal(logs.length, 4);
      const value = JSON.parse(`"${text}"`);
      assert.deepEqual(output("made"), { [value]: value });
    });

    test(`${what} in an error harms nobody`, async () => {
      const { status, error } = await run([step("bad", "script", { source: `throw new Error("${text}")` })]);
      assert.equal(status, "FAILED");
      // The sandbox reads messages as C does: a NUL ends them.
      assert.match(error!.message, /^The script failed: Error: a.* \(line 1\)\.$/s);
    });
  }

  test("a server that is still well after all that", async () => {
    assert.equal((await pawl.send({ method: "GET", path: "/health/ready" })).status, 200);
  });
});
