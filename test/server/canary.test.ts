import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";
import type { JobInput } from "../../src/contract/job.ts";
import { type Route, routes } from "../../src/contract/routes.ts";
import { dumpDatabase, findSecrets, readFolder } from "../helpers/canary.ts";
import { makeCertificate } from "../helpers/certificates.ts";
import { createTestDatabase, type TestDatabase } from "../helpers/database.ts";
import { echo, httpServer, type TestHttpServer } from "../helpers/http-server.ts";
import { type PawlHome, type PawlProcess, pawlHome } from "../helpers/pawl-process.ts";

const certificate = makeCertificate({ subject: "client" });

// Each with characters that every encoding treats in its own way.
const secrets = {
  token: 'cnry1/tok+en="x"&y z',
  header: "cnry2:head/er+%41 value?",
  password: "cnry3 pass\\word/+=&",
  variable: 'cnry4 "var" + \\ ünïcode/€ <b>&amp;',
  parameter: 'cnry5 par%am/+eter\n"second" line',
  nested: "cnry6/nested+=secret",
  number: "7364518290",
  login: "cnry7 login/pass+word",
  key: certificate.privateKey,
  keyLine: certificate.privateKey.split("\n")[1]!,
};

/** Roles are of the whole server, which other files use too. */
const role = `canary_${process.pid}`;
let database: TestDatabase;
let home: PawlHome;
let pawl: PawlProcess;
let server: TestHttpServer;
let output = "";
/** What there is to read, by the first part of the path that it is read by. */
const ids: Record<string, string[]> = {};
function note(part: string, ...more: string[]): void {
  ids[part] = [...(ids[part] ?? []), ...more];
}
/** What callers were answered, by what they asked. */
const answers: [string, string][] = [];
/** The step that is under way at the crash has asked; and its answer may be given. */
const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];

async function begin(): Promise<void> {
  pawl = await home.start({ PAWL_LOG_LEVEL: "trace" });
}

before(async () => {
  database = await createTestDatabase();
  await asOwner(`create role ${role} login password '${secrets.login}'`);
  home = pawlHome({ databaseUrl: database.url });
  server = await httpServer(async (request, response) => {
    if (request.url === "/held") {
      asked.resolve();
      await answered.promise;
      // Of the process that was killed.
      if (request.destroyed) return;
    }
    if (request.url === "/tell") {
      response.end(`I know ${secrets.password} and ${secrets.variable}.`);
      return;
    }
    if (request.url!.includes("/broken")) {
      const said = `${"x".repeat(Number(new URL(request.url!, "http://x").searchParams.get("pad") ?? 0))} you sent ${JSON.stringify(request.headers)}`;
      response.writeHead(500, { "content-type": "text/plain" }).end(said);
      return;
    }
    if (request.headers.authorization)
      response.setHeader("x-echo", Buffer.from(request.headers.authorization, "latin1").toString("base64"));
    echo(request, response);
  });
  await begin();
});
after(async () => {
  answered.resolve();
  await server[Symbol.asyncDispose]();
  await home[Symbol.asyncDispose]();
  await asOwner(`drop role ${role}`);
  await database.drop();
});

async function asOwner(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(new URL(path, pawl.url), {
    method,
    headers: {
      authorization: `Bearer ${pawl.token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  answers.push([`${method} ${path}`, `${JSON.stringify([...response.headers])}\n${text}`]);
  const json = /json/.test(response.headers.get("content-type") ?? "") ? JSON.parse(text) : undefined;
  return { status: response.status, json, data: json?.data };
}

const parameters = {
  type: "object",
  properties: {
    key: { type: "string", secret: true },
    login: {
      type: "object",
      properties: { user: { type: "string" }, nested: { type: "string", secret: true } },
    },
    pin: { type: "integer", secret: true },
    mode: { type: "string" },
  },
};
const given = {
  key: secrets.parameter,
  login: { user: "ada", nested: secrets.nested },
  pin: Number(secrets.number),
  mode: "full",
};
type Steps = JobInput["steps"];

let made = 0;
async function makeJob(steps: Steps, more: object = {}): Promise<string> {
  const { status, json } = await ask("POST", "/jobs", {
    name: `canary ${++made}`,
    parameters,
    steps,
    ...more,
  });
  assert.equal(status, 201, JSON.stringify(json));
  note("step", ...json.data.steps.map((step: { id: string }) => step.id));
  note("jobs", json.data.id);
  return json.data.id;
}

async function run(steps: Steps, more: object = {}) {
  const jobId = await makeJob(steps, more);
  const { json } = await ask(
    "POST",
    "/api/v2/job/start",
    { jobId, parameters: given, async: false },
    { "idempotency-key": jobId },
  );
  note("jobExecution", json.executionId);
  const { data } = await ask("GET", `/jobExecution/${json.executionId}`);
  const of = (key: string) => data.stepExecutions.find((step: { stepKey: string }) => step.stepKey === key);
  return { ...data, of, started: json };
}

test("plants its canaries, each where a secret may be", async () => {
  const plant = async (part: string, body: object) => {
    const { status, data, json } = await ask("POST", `/${part}/upsert`, body);
    assert.equal(status, 201, JSON.stringify(json));
    note(part, data.id, data.name);
    return data;
  };
  const rest = (name: string, variables: Record<string, string>) =>
    plant("connection", {
      name,
      connectionType: "rest-api",
      variables: { baseUrl: server.url, ...variables },
    });
  const headers = JSON.stringify({ "X-Tenant": secrets.header });
  await rest("bearer", { token: secrets.token, headers });
  await rest("basic", { authType: "basic", token: `ada:${secrets.password}` });
  const { hostname, port, pathname } = new URL(database.url);
  const place = { host: hostname, port, database: pathname.slice(1) };
  const login = { ...place, username: role, password: secrets.login };
  await plant("connection", { name: "db", connectionType: "database-relational2", variables: login });
  await plant("connection", {
    name: "broken",
    connectionType: "database-relational2",
    variables: { ...login, database: "nowhere" },
  });
  await plant("global-variable", { name: "SECRET", value: secrets.variable, secret: true });
  await plant("global-variable", { name: "PLAIN", value: "nothing special", secret: false });
  await plant("certificate", {
    name: "client",
    certificate: certificate.certificate,
    privateKey: certificate.privateKey,
  });
  await plant("dataset", { name: "table", columns: [{ name: "a", type: "string" }] });
});

test("shows nothing of them when connections are tested, saved or not", async () => {
  for (const name of ids.connection!.filter((each) => !each.includes("-"))) {
    const { data } = await ask("GET", `/connection/name/${name}`);
    const tested = await ask("POST", `/connection/${data.id}/test`);
    assert.equal(tested.data.status, name === "broken" ? "failure" : "success", JSON.stringify(tested.data));
    const { id, description, connectionType, variables } = data;
    const again = await ask("POST", "/connection/test", { id, name, description, connectionType, variables });
    assert.equal(again.data.status, tested.data.status, JSON.stringify(again.json));
  }
});

const bearer = { connection: { name: "bearer", connectionType: "rest-api" as const } };
const basic = { connection: { name: "basic", connectionType: "rest-api" as const } };

test("hands steps what they need, and masks what comes back of it in outputs", async () => {
  const {
    id,
    of,
    status,
    parameters: shown,
    error,
  } = await run([
    {
      key: "call",
      type: "http",
      ...bearer,
      input: { path: "/a", json: { echo: "{{ params.key }}", var: "{{ vars.SECRET }}" }, method: "POST" },
    },
    {
      key: "login",
      type: "http",
      ...basic,
      input: { path: "/b", query: { q: "{{ vars.SECRET }}", p: "{{ params.login.nested }}" } },
    },
    {
      key: "set",
      type: "set",
      input: {
        values: {
          v: "{{ vars.SECRET }}",
          text: "it is {{ vars.SECRET }}!",
          pin: "{{ params.pin }}",
          all: "{{ params }}",
          plain: "{{ vars.PLAIN }}",
          bytes: "{{ bytes('a' + vars.SECRET).base64() }}",
        },
      },
    },
    {
      key: "script",
      type: "script",
      input: {
        source:
          "console.log(vars.SECRET, params.key); return { [vars.SECRET]: encodeURIComponent(params.key), deep: [[JSON.stringify({ a: vars['SECRET'] })]], hex: [...params.login.nested].map((c) => c.charCodeAt(0).toString(16)).join('') };",
      },
    },
    {
      key: "sql",
      type: "sql",
      connection: { name: "db", connectionType: "database-relational2" },
      input: {
        sql: "select $1::text as v, encode(convert_to($1::text, 'utf8'), 'hex') as h",
        values: ["{{ vars.SECRET }}"],
      },
    },
    {
      key: "tls",
      type: "http",
      input: { url: `${server.url}/tls`, certificate: "client", query: { v: "{{ vars.SECRET }}" } },
    },
    {
      key: "pieces",
      type: "script",
      input: {
        source:
          "const s = vars.SECRET; console.log('it is', s.slice(0, 3)); for (let i = 3; i < s.length; i += 5) console.log(s.slice(i, i + 5)); console.log('over');",
      },
    },
    { key: "again", type: "transform", input: { data: "{{ steps.set.output }}", expression: "$" } },
    {
      key: "late",
      type: "http",
      input: {
        url: `${server.url}/c`,
        method: "POST",
        text: "{{ steps.call.output.body.headers.authorization }}",
      },
    },
    { key: "log", type: "log", input: { message: "{{ params }}" } },
    {
      key: "sure",
      type: "log",
      when: 'params.key.startsWith("cnry5") && vars.SECRET.startsWith("cnry4")',
      input: { message: "yes" },
    },
  ]);
  assert.equal(status, "COMPLETED", JSON.stringify(error));
  // They were really sent, or there is nothing to see.
  const call = server.requests.find(({ url }) => url === "/a");
  const login = server.requests.find(({ url }) => url!.startsWith("/b?"));
  assert.equal(call!.headers.authorization, `Bearer ${secrets.token}`);
  assert.equal(call!.headers["x-tenant"], secrets.header);
  assert.equal(
    login!.headers.authorization,
    `Basic ${Buffer.from(`ada:${secrets.password}`).toString("base64")}`,
  );
  assert.deepEqual(shown, { key: "***", login: { user: "ada", nested: "***" }, pin: "***", mode: "full" });
  assert.equal(of("call").output.body.headers.authorization, "Bearer ***");
  assert.equal(of("call").output.body.headers["x-tenant"], "***");
  assert.equal(of("call").output.body.body, '{"echo":"***","var":"***"}');
  assert.equal(of("set").output.plain, "nothing special");
  assert.deepEqual(
    [of("set").output.v, of("set").output.text, of("set").output.pin],
    ["***", "it is ***!", "***"],
  );
  assert.equal(of("script").output["***"], "***");
  assert.equal(of("script").output.hex, "***");
  assert.equal(of("late").output.body.body, "Bearer ***");
  const { data: lines } = await ask("GET", `/jobExecution/${id}/logs`);
  const pieces = lines.filter((line: Loose) => line.stepKey === "pieces").map((line: Loose) => line.message);
  assert.match(pieces.join("|"), /^it is \*\*\*(\|\*\*\*)+\|over$/);
  assert.deepEqual(of("sql").output.rows, [{ v: "***", h: "***" }]);
  assert.equal(of("sure").status, "COMPLETED");
});

test("masks it in errors, also where they are cut, and while a retry waits", async () => {
  for (const pad of [0, 380, 400, 420, 440, 460, 470, 480]) {
    const { of } = await run([
      { key: "fail", type: "http", ...bearer, input: { path: `/broken?pad=${pad}` } },
    ]);
    assert.equal(of("fail").error.code, "HTTP_STATUS");
  }
  const fails: Steps = [
    {
      key: "throws",
      type: "script",
      onError: "continue",
      input: { source: "throw new Error('x'.repeat(1980) + params.key)" },
    },
    {
      key: "says",
      type: "script",
      onError: "continue",
      input: { source: "console.error('x'.repeat(9990) + vars.SECRET); throw vars.SECRET" },
    },
    {
      key: "time",
      type: "set",
      onError: "continue",
      input: { values: { t: "{{ timestamp(vars.SECRET) }}" } },
    },
    { key: "wait", type: "wait", onError: "continue", input: { until: "{{ params.key }}" } },
    { key: "url", type: "http", onError: "continue", input: { url: "{{ params.key }}" } },
    {
      key: "host",
      type: "http",
      onError: "continue",
      input: { url: "http://127.0.0.1:1/{{ vars.SECRET }}?{{ params.login.nested }}" },
    },
    {
      key: "index",
      type: "set",
      onError: "continue",
      input: { values: { x: "{{ params.login[params.key] }}" } },
    },
    {
      key: "jsonata",
      type: "transform",
      onError: "continue",
      input: { data: { s: "{{ params.key }}" }, expression: "$error($pad('', 990, 'x') & s)" },
    },
  ];
  const { stepExecutions } = await run(fails);
  for (const step of stepExecutions) assert.equal(step.status, "FAILED", step.stepKey);
  const jobId = await makeJob([
    {
      key: "fail",
      type: "http",
      ...bearer,
      input: { path: "/broken" },
      retry: { maxAttempts: 3, initialDelayMs: 60_000 },
    },
  ]);
  const { json } = await ask("POST", "/api/v2/job/start", { jobId, parameters: given });
  note("jobExecution", json.executionId);
  await until(json.executionId, (step) => step.status === "WAITING");
});

test("masks it in what is asked of a person", async () => {
  const jobId = await makeJob([
    {
      key: "ok",
      type: "approval",
      input: {
        message: "Pay with {{ vars.SECRET }} and {{ params.key }}?",
        form: {
          type: "object",
          properties: { why: { type: "string", default: "{{ params.login.nested }}" } },
        },
      },
    },
    { key: "after", type: "set", input: { values: { a: "{{ params.key }}" } } },
  ]);
  const { json } = await ask("POST", "/api/v2/job/start", { jobId, parameters: given });
  note("jobExecution", json.executionId);
  await until(json.executionId, (step) => step.status === "WAITING");
  const links = await ask("POST", `/jobExecution/${json.executionId}/approval-links`, {});
  assert.equal(links.status, 201, JSON.stringify(links.json));
  for (const link of JSON.stringify(links.json).matchAll(/approval\/([\w-]+)/g)) note("approval", link[1]!);
  assert.ok(ids.approval!.length > 0);
});

test("hands a secret to a job that it runs where that keeps it secret, and refuses it elsewhere", async () => {
  const child = await makeJob([
    { key: "use", type: "http", input: { url: `${server.url}/child`, method: "POST", json: "{{ params }}" } },
  ]);
  const before = server.requests.length;
  const { status, error } = await run([
    {
      key: "child",
      type: "job",
      input: {
        jobId: child,
        parameters: { key: "{{ vars.SECRET }}", login: { user: "eve", nested: "{{ params.login.nested }}" } },
      },
    },
  ]);
  assert.equal(status, "COMPLETED", JSON.stringify(error));
  assert.equal(server.requests.length, before + 1);
  const open = await run([
    { key: "child", type: "job", input: { jobId: child, parameters: { mode: "with {{ vars.SECRET }}" } } },
  ]);
  assert.equal(open.status, "FAILED");
  assert.match(open.error.message, /parameter mode of the job .* mark it secret there/);
});

test("keeps it in no dataset and no file, in whatever spelling a step gives it", async () => {
  const file = (more: object) => ({ file: "leak", action: "write", ...more });
  const leaks: [string, object][] = [
    ["file", file({ text: "it is {{ vars.SECRET }}" })],
    ["file", file({ json: { deep: ["{{ vars.SECRET }}"] } })],
    ["file", file({ binary: "{{ bytes('a' + vars.SECRET).base64() }}" })],
    ["file", { ...file({ text: "" }), file: "{{ params.key }}" }],
    ["dataset", { dataset: "table", action: "append", rows: [{ a: "{{ params.login.nested }}" }] }],
  ];
  for (const [type, input] of leaks) {
    const { of } = await run([{ key: "keep", type, input } as Steps[number]]);
    assert.equal(of("keep").error?.code, "SECRET_NOT_KEPT", JSON.stringify(of("keep")));
  }
  const kept = await run([{ key: "keep", type: "file", input: file({ text: "nothing of it" }) }]);
  assert.equal(kept.status, "COMPLETED");
});

test("opens secrets again after a crash, and masks what steps before it used", async () => {
  const jobId = await makeJob([
    { key: "first", type: "http", ...basic, input: { path: "/first" } },
    { key: "vars", type: "set", input: { values: { v: "{{ vars.SECRET }}" } } },
    { key: "held", type: "http", ...bearer, input: { path: "/held", method: "POST", json: "{{ params }}" } },
    {
      key: "echo",
      type: "http",
      input: { url: `${server.url}/tell` },
    },
  ]);
  const { json } = await ask("POST", "/api/v2/job/start", { jobId, parameters: given });
  note("jobExecution", json.executionId);
  await asked.promise;
  output += (await pawl.kill()).stdout;
  answered.resolve();
  await begin();
  const ended = await until(json.executionId, (_, execution) => execution.endTime !== null);
  assert.equal(ended.status, "COMPLETED", JSON.stringify(ended.error));
  const [, , afterwards, told] = ended.stepExecutions;
  assert.match(afterwards.output.body.body, /"pin":\*\*\*,"mode":"full"/);
  assert.equal(told.output.body, "I know *** and ***.");
});

test("shows them nowhere: in no answer, event or log, no table and no file", async () => {
  const events = new AbortController();
  const streams = ["/events", ...ids.jobExecution!.map((id) => `/jobExecution/${id}/events`)].map((path) =>
    listen(path, events.signal),
  );
  for (const [name, route] of Object.entries<Route>(routes)) await read(name, route);
  await run([{ key: "last", type: "set", input: { values: { v: "{{ vars.SECRET }}" } } }]);
  events.abort();
  for (const stream of streams) answers.push(["events", await stream]);

  const dump = await dumpDatabase(database.url);
  assert.ok(
    dump.get("public.execution_default") !== undefined ||
      [...dump.values()].some((text) => text.includes("canary 1")),
  );
  const { stdout, stderr } = await pawl.terminate();
  output += stdout + stderr;
  assert.ok(output.includes('"route":"startJob"'), "the log was kept");

  const places: [string, string][] = [...answers, ["log", output], ...dump, ...readFolder(home.dataDir)];
  const leaks = places.flatMap(([place, text]) =>
    findSecrets(text, secrets).map((found) => `${place}: ${found}`),
  );
  assert.deepEqual(leaks, []);
  assert.ok(answers.length > 200, `${answers.length} answers were looked at`);
});

/** Reads a route with everything that there is to read by it. What hands out secrets to those who may have them is left out. */
async function read(name: string, route: Route): Promise<void> {
  const { method, path } = route;
  if (name.startsWith("getDecrypted") || route.stream) return;
  if (method === "POST" ? !/search$|\/job\/:jobId$/.test(path) : method !== "GET") return;
  const part = path.includes(":jobId") ? "jobs" : path.split("/")[1]!;
  const known = path.includes(":") ? (ids[part] ?? []) : [""];
  for (const value of new Set(known)) {
    const target = path.replace(/:\w+/, encodeURIComponent(value)).replace(/:version/, "1");
    await ask(method, target, method === "POST" ? { size: 100 } : undefined);
  }
}

async function listen(path: string, signal: AbortSignal): Promise<string> {
  let text = "";
  try {
    const response = await fetch(new URL(path, pawl.url), {
      headers: { authorization: `Bearer ${pawl.token}` },
      signal,
    });
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return text;
}

// biome-ignore lint/suspicious/noExplicitAny: as it comes
type Loose = any;

async function until(id: string, holds: (step: Loose, execution: Loose) => boolean): Promise<Loose> {
  const watching = new AbortController();
  const response = await fetch(new URL(`/jobExecution/${id}/events`, pawl.url), {
    headers: { authorization: `Bearer ${pawl.token}` },
    signal: watching.signal,
  });
  try {
    for await (const _ of response.body!) {
      const { data } = await ask("GET", `/jobExecution/${id}`);
      if (data.stepExecutions.some((step: Loose) => holds(step, data))) return data;
    }
  } finally {
    watching.abort();
  }
  throw new Error("The stream ended before.");
}
