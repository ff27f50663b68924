import assert from "node:assert/strict";
import { test } from "node:test";
import { makeCertificate } from "../../test/helpers/certificates.ts";
import { configurationApp } from "../../test/helpers/configuration-app.ts";
import { newId } from "../lib/ids.ts";

type Step = Record<string, unknown>;
const http = (input: object, more: object = {}) => ({ key: "a", type: "http", input, ...more });
const url = "http://127.0.0.1/";
const byName = (name: string, connectionType = "rest-api") => ({ connection: { name, connectionType } });

async function setUp(t: Parameters<typeof configurationApp>[0]) {
  const app = await configurationApp(t);
  const make = async (noun: string, body: object) => {
    const { data, body: answer } = await app.call("POST", `/${noun}/upsert`, body);
    assert.ok(data, JSON.stringify(answer));
    return data.id as string;
  };
  const { certificate, privateKey } = makeCertificate({ subject: "c" });
  const variables = { baseUrl: "http://127.0.0.1/", token: "cnry-token" };
  const ids = {
    api: await make("connection", { name: "api", connectionType: "rest-api", variables }),
    ftp: await make("connection", { name: "ftp", connectionType: "ftp", variables: { host: "a" } }),
    variable: await make("global-variable", { name: "V", value: "cnry-value", secret: true }),
    certificate: await make("certificate", { name: "cert", certificate, privateKey }),
    dataset: await make("dataset", { name: "data", columns: [{ name: "a", type: "string" }] }),
    template: await make("api", {
      name: "tpl",
      connectionType: null,
      method: "GET",
      path: "http://127.0.0.1/x",
    }),
  };
  let made = 0;
  const save = (step: Step, token = app.admin) =>
    app.as(token, "POST", "/jobs", { name: `job ${++made}`, steps: [step] });
  return { app, ids, save };
}

test("refuses a job that names what is not there or does not fit, with the step and the reason", async (t) => {
  const { ids, save } = await setUp(t);
  const db = { key: "a", type: "sql", input: { sql: "select 1" } };
  const cases: [Step, string, RegExp][] = [
    [
      http({ path: "/" }, { connectionId: newId() }),
      "/steps/0/connectionId",
      /of step "a" names a connection that is not there/,
    ],
    [http({ path: "/" }, byName("nobody")), "/steps/0/connection", /is not there/],
    [
      http({ path: "/" }, { connectionId: ids.ftp }),
      "/steps/0/connectionId",
      /is of the type ftp, and a http step takes rest-api/,
    ],
    [
      http({ path: "/" }, byName("ftp", "ftp")),
      "/steps/0/connection/connectionType",
      /needs one of the type rest-api/,
    ],
    [
      http({ path: "/" }, { connectionId: ids.api, ...byName("api") }),
      "/steps/0/connection",
      /give one of them/,
    ],
    [http({ path: "/" }), "/steps/0/input/path", /needs a connection/],
    [
      db,
      "/steps/0/connectionId",
      /is missing: a sql step needs a connection of the type database-relational1 or/,
    ],
    [
      { ...db, connectionId: ids.api },
      "/steps/0/connectionId",
      /takes database-relational1 or database-relational2/,
    ],
    [
      { key: "a", type: "set", input: { values: {} }, connectionId: ids.api },
      "/steps/0/connectionId",
      /not used by a set step/,
    ],
    [
      http({ url: "http://x/{{ vars.NONE }}" }),
      "/steps/0/input/url",
      /of step "a" names the global variable "NONE"/,
    ],
    [
      http({ url, certificate: "nope" }),
      "/steps/0/input/certificate",
      /names the certificate "nope", and there is none/,
    ],
    [http({ url, trust: newId() }), "/steps/0/input/trust", /there is none/],
    [http({ url, certificate: "{{ params.x }}" }), "/steps/0/input/certificate", /not an expression/],
    [http({ apiTemplate: "nope" }), "/steps/0/input/apiTemplate", /names the API template "nope"/],
    [http({ apiTemplate: "tpl", url }), "/steps/0/input/url", /is given by the API template/],
    [http({ url, apiParams: {} }), "/steps/0/input/apiParams", /there is none/],
    [
      { key: "a", type: "dataset", input: { dataset: "nope" } },
      "/steps/0/input/dataset",
      /of step "a" names the dataset "nope"/,
    ],
    [
      { key: "a", type: "dataset", input: { dataset: "data", action: "append" } },
      "/steps/0/input/rows",
      /required to append/,
    ],
    [
      { key: "a", type: "dataset", input: { dataset: "data", rows: [{ a: "1" }] } },
      "/steps/0/input/rows",
      /is for action append/,
    ],
    [
      { key: "a", type: "file", input: { file: "f", action: "write" } },
      "/steps/0/input/text",
      /required to write/,
    ],
    [
      { key: "a", type: "file", input: { file: "f", text: "" } },
      "/steps/0/input/text",
      /is for action write/,
    ],
    [
      { key: "a", type: "file", input: { file: "f", action: "write", text: "", json: 1 } },
      "/steps/0/input/text",
      /second content/,
    ],
    [
      { ...db, input: { sql: "select {{ params.x }}" }, connectionId: ids.ftp },
      "/steps/0/input/sql",
      /in values/,
    ],
  ];
  for (const [step, path, message] of cases) {
    const { status, body } = await save(step);
    assert.deepEqual(
      [status, body.error.code],
      [400, "VALIDATION_FAILED"],
      `${path}: ${JSON.stringify(body)}`,
    );
    const fault = body.error.details.find((each: { path: string }) => each.path === path);
    assert.match(fault?.message ?? JSON.stringify(body.error.details), message);
  }
});

test("needs the right to read what a job uses of the one who saves it, in every way of saving", async (t) => {
  const { app, ids, save } = await setUp(t);
  const jobs = ["JobService:Job:upsert", "JobService:Job:read"];
  const nobody = (await app.principal("nobody", jobs)).token;
  const uses: [Step, string][] = [
    [http({ path: "/" }, { connectionId: ids.api }), "ConfigService:Connection:read"],
    [http({ path: "/" }, byName("api")), "ConfigService:Connection:read"],
    [http({ url: "http://x/{{ vars.V }}" }), "ConfigService:GlobalVariable:read"],
    [{ key: "a", type: "script", input: { source: "return vars.V" } }, "ConfigService:GlobalVariable:read"],
    [
      { key: "a", type: "set", when: "vars.V == 'x'", input: { values: {} } },
      "ConfigService:GlobalVariable:read",
    ],
    [http({ url, certificate: "cert" }), "ConfigService:Certificate:read"],
    [http({ url, trust: ids.certificate }), "ConfigService:Certificate:read"],
    [http({ apiTemplate: "tpl" }), "ConfigService:ApiTemplate:read"],
    [{ key: "a", type: "dataset", input: { dataset: "data" } }, "ConfigService:Dataset:read"],
    [{ key: "a", type: "dataset", input: { dataset: "{{ params.any }}" } }, "ConfigService:Dataset:read"],
    [
      { key: "a", type: "dataset", input: { dataset: ids.dataset, action: "append", rows: [{ a: "1" }] } },
      "ConfigService:Dataset:upsert",
    ],
    [{ key: "a", type: "file", input: { file: "any" } }, "ConfigService:File:read"],
    [
      { key: "a", type: "file", input: { file: "any", action: "write", text: "" } },
      "ConfigService:File:upsert",
    ],
  ];
  for (const [step, authority] of uses) {
    const refused = await save(step, nobody);
    assert.deepEqual([refused.status, refused.body.error.code], [403, "FORBIDDEN"], authority);
    assert.match(refused.body.message, new RegExp(authority));
    assert.match(refused.body.error.details[0].path, /^\/steps\/0\//);
    // That something is there or not is not told to those who may not know.
    const unknown = JSON.parse(
      JSON.stringify(step)
        .replaceAll(/"(api|cert|tpl|data)"/g, '"nope"')
        .replaceAll("vars.V", "vars.W"),
    );
    const code = (await save(unknown, nobody)).body.error?.code;
    assert.ok(
      code === "FORBIDDEN" || (code === undefined && step.type === "script"),
      `${authority}: ${code}`,
    );
    const holder = (
      await app.principal(`with ${authority} ${JSON.stringify(step)}`.slice(0, 100), [...jobs, authority])
    ).token;
    const saved = await save(step, holder);
    assert.equal(saved.status, 201, JSON.stringify(saved.body));
  }

  const job = (await save(http({ path: "/" }, { connectionId: ids.api }))).data;
  const yaml = `name: imported\nsteps:\n  - { key: a, type: http, connection: { name: api, connectionType: rest-api }, input: { path: / } }\n`;
  assert.equal((await app.importYaml(yaml, "", nobody)).status, 403);
  assert.equal((await app.importYaml(yaml)).status, 201);
  const plain = { name: job.name, steps: [{ key: "a", type: "set", input: { values: {} } }] };
  assert.equal((await app.as(nobody, "PUT", `/jobs/${job.id}`, { ...plain, steps: job.steps })).status, 403);
  assert.equal((await app.as(nobody, "PUT", `/jobs/${job.id}`, plain)).status, 200);
  const restored = await app.as(nobody, "POST", `/jobs/${job.id}/versions/1/restore`);
  assert.deepEqual([restored.status, restored.body.error.code], [403, "FORBIDDEN"]);
});

test("keeps the reference only, and nothing of what it refers to", async (t) => {
  const { app, ids, save } = await setUp(t);
  const { data: job } = await save(http({ path: "/{{ vars.V }}" }, byName("api")));
  assert.equal(job.steps[0].connectionId, ids.api);
  assert.equal(job.steps[0].connection, undefined);
  const { rows } = await app.pool.query("select row_to_json(t)::text as line from job_version t");
  assert.ok(rows.length > 0);
  for (const each of [job, ...rows]) assert.ok(!JSON.stringify(each).includes("cnry"));
});
