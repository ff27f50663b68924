import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { gate } from "./helpers/gate.ts";
import { keptPawl, spawnPawl } from "./helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "./helpers/running-pawl.ts";

let server: RunningPawl;
let env: Record<string, string>;

before(async () => {
  server = await startTestPawl();
  env = { PAWL_URL: server.url, PAWL_TOKEN: server.admin };
});
after(() => server.close());

const pawl = (...args: string[]) => keptPawl(args, { env });

async function json(...args: string[]) {
  const { code, stdout, stderr } = await pawl(...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

let jobs = 0;
async function startJob(steps: object[]) {
  const name = `job-${++jobs}`;
  const made = await server.client.createJob({
    body: { name, steps: steps as [{ key: string; type: string }] },
  });
  const { data } = await server.client.startJob({ body: { jobId: made.data.id } });
  return { name, id: data.executionId };
}
const long = { key: "long", type: "wait", input: { duration: "1h" } };
const log = (key: string, message: string) => ({ key, type: "log", input: { message } });

describe("pawl pause, resume, stop and restart", () => {
  it("act on an execution by its id or its job, and say what is so now", async () => {
    const { id, name } = await startJob([log("first", "hi"), long]);
    const paused = await pawl("pause", "--last", name, "--reason", "lunch");
    assert.equal(paused.code, 0, paused.stderr);
    assert.match(paused.stdout, /^Paused\./);
    assert.deepEqual((await json("resume", id)).status, "RUNNING");
    const again = await pawl("resume", id);
    assert.equal(again.code, 5);
    assert.match(again.stderr, /RUNNING.*Allowed now: pause, stop/);
    assert.match((await pawl("stop", id, "--reason", "wrong day")).stdout, /^Stopped\./);
    const restarted = await json("restart", id, "--from-step", "first");
    assert.equal(restarted.action, "RESTART");
    assert.match(restarted.message, /'first'/);
    await pawl("stop", id);

    const shown = (await pawl("execution", "show", id)).stdout;
    assert.match(shown, /PAUSE +PAUSED +admin +lunch/);
    assert.match(shown, /ATTEMPT +VERSION +STATUS/);
    assert.match(shown, /2 +1 +STOPPED .* first/);
  });

  it("restart with the newest version and other parameters, and show what an execution waits for", async () => {
    const fails = { key: "burst", type: "script", input: { source: "throw 1" } };
    const parameters = { type: "object", properties: { n: { type: "integer" }, t: { type: "string" } } };
    const { name, id } = await startJob([log("first", "hi"), fails]);
    await server.ended(id);
    const { data: job } = await server.client.getLastExecution({
      params: { jobId: (await json("job", "show", name)).id },
    });
    const steps = [log("first", "hi"), { ...long, key: "burst" }];
    await server.client.replaceJob({
      params: { id: job.jobId },
      body: { name, steps, parameters },
    });
    const refused = await pawl("restart", id, "--latest", "--param", "n=x");
    assert.equal(refused.code, 5, refused.stderr);
    assert.match(refused.stderr, /parameters/);
    const done = await pawl("restart", id, "--latest", "--param", "n=3", "--param", "t=7");
    assert.equal(done.code, 0, done.stderr);
    const { data } = await server.client.getExecution({ params: { id } });
    assert.deepEqual([data.jobVersion, data.parameters], [2, { n: 3, t: "7" }]);
    await server.readUntil(id, ({ waiting }) => waiting !== null);
    const shown = (await pawl("execution", "show", id)).stdout;
    assert.match(shown, /Waiting +Step 'burst' waits for a time\., until/);
    await pawl("stop", id);
  });

  it("show when it resumes by itself, and refuse a time that has passed", async () => {
    const { id } = await startJob([long]);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    assert.match((await pawl("pause", id, "--resume-at", at)).stdout, new RegExp(at));
    assert.match((await pawl("execution", "show", id)).stdout, /^Resumes +\d{4}/m);
    await pawl("resume", id);
    const past = await pawl("pause", id, "--resume-at", "2020-01-01T00:00:00Z");
    assert.equal(past.code, 5);
    assert.match(past.stderr, /in the future/);
    await pawl("stop", id);
  });

  it("with --wait exit by the outcome", async () => {
    const { id } = await startJob([{ key: "burst", type: "script", input: { source: "throw 1" } }]);
    await server.ended(id);
    assert.equal((await pawl("restart", id, "--wait")).code, 1);
  });

  it("explain a slip on the command line", async () => {
    assert.equal((await pawl("stop")).code, 2);
    const unknown = await pawl("stop", "01890a5d-ac96-774b-bcce-b302099a8057");
    assert.equal(unknown.code, 5);
    for (const name of ["pause", "resume", "stop", "restart", "approve", "reject", "drain"]) {
      const { stdout, code } = await pawl(name, "--help");
      assert.equal(code, 0);
      assert.match(stdout, /Examples:/);
    }
  });
});

describe("pawl approve and reject", () => {
  const form = { type: "object", required: ["amount"], properties: { amount: { type: "integer" } } };

  it("decide, with answers as the form wants them", async () => {
    const { id, name } = await startJob([
      { key: "ok", type: "approval", input: { message: "Pay it?", form } },
    ]);
    await server.readUntil(id, ({ waitingFor }) => waitingFor !== null);
    assert.match((await pawl("execution", "show", id)).stdout, /^Waits for +Pay it\?$/m);
    const missing = await pawl("approve", id);
    assert.equal(missing.code, 5);
    assert.match(missing.stderr, /amount/);
    const done = await pawl(
      "approve",
      "--last",
      name,
      "--answer",
      "amount=12",
      "--reason",
      "by phone",
      "--wait",
    );
    assert.equal(done.code, 0, done.stderr);
    const { stepExecutions, actions } = await server.ended(id);
    assert.equal((stepExecutions[0]!.output as { amount: number }).amount, 12);
    assert.equal(actions[0]!.reason, "by phone");
  });

  it("reject stops it", async () => {
    const { id } = await startJob([{ key: "ok", type: "approval", input: { message: "Pay it?" } }]);
    await server.readUntil(id, ({ waitingFor }) => waitingFor !== null);
    assert.match((await pawl("reject", id, "--reason", "no receipt")).stdout, /^Rejected\./);
    assert.equal((await pawl("execution", "watch", id)).code, 3);
  });
});

describe("pawl, live", () => {
  it("prints logs as they come until the end", async () => {
    await using held = await gate();
    const { id } = await startJob([
      log("first", "one"),
      { key: "ask", type: "http", input: { url: held.url } },
      log("last", "two"),
    ]);
    const response = await held.asked();
    const following = spawnPawl(["execution", "logs", id, "--follow"], { env });
    await following.until(/first +one/);
    response.end();
    const { code, stdout } = await following.ended;
    assert.equal(code, 0);
    assert.match(stdout, /first +one\n(.*\n)*.*last +two\n$/);
  });

  it("watches by events: an end is seen long before the next look would come", async () => {
    await using held = await gate();
    const { id } = await startJob([
      { key: "ask", type: "http", input: { url: held.url } },
      log("last", "two"),
    ]);
    const response = await held.asked();
    const watching = spawnPawl(["execution", "watch", id], { env });
    await watching.until(/ask +RUNNING/);
    response.end();
    assert.equal((await watching.ended).code, 0);
  });
});

describe("pawl drain", () => {
  it("waits until no step is under way", async () => {
    await using own = await startTestPawl();
    await using held = await gate();
    const made = await own.client.createJob({
      body: {
        name: "one",
        steps: [
          { key: "ask", type: "http", input: { url: held.url } },
          { key: "b", type: "set", input: { values: {} } },
        ],
      },
    });
    await own.client.startJob({ body: { jobId: made.data.id } });
    const response = await held.asked();
    const draining = spawnPawl(["drain", "--wait", "--json"], {
      env: { PAWL_URL: own.url, PAWL_TOKEN: own.admin },
    });
    while ((await own.send({ method: "GET", path: "/health/ready" })).status === 200);
    response.end();
    const { code, stdout } = await draining.ended;
    assert.equal(code, 0);
    assert.deepEqual(JSON.parse(stdout), { draining: true, running: 0 });
  });
});
