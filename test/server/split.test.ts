import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { makeCertificate } from "../helpers/certificates.ts";
import { echo, httpServer, type TestHttpServer } from "../helpers/http-server.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

/** One Pawl keeps what jobs refer to, another runs the jobs. */
describe("a Pawl that has what its jobs refer to from another", () => {
  let keeper: RunningPawl;
  let runner: RunningPawl;
  /** Between the two; how it is with the keeper. */
  let door: TestHttpServer;
  let mood: "open" | "cut" | "busy" = "open";
  let turnedAway: PromiseWithResolvers<void>;
  let target: TestHttpServer;
  let id: string;
  let keeperPrincipal: string;
  let keeperPrincipalId: string;

  before(async () => {
    keeper = await startTestPawl();
    target = await httpServer(echo);
    door = await httpServer(async (request, response) => {
      if (mood !== "open") turnedAway?.resolve();
      if (mood === "cut") return void request.socket.destroy();
      if (mood === "busy") {
        const error = { code: "RATE_LIMITED", requestId: "r" };
        const body = JSON.stringify({ status: "error", message: "Later.", data: null, error });
        return void response.writeHead(429, { "content-type": "application/json" }).end(body);
      }
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const answer = await fetch(new URL(request.url!, keeper.url), {
        method: request.method!,
        headers: Object.fromEntries(
          Object.entries(request.headers).filter(([name]) =>
            /^(authorization|content-type|user-agent)$/.test(name),
          ),
        ) as Record<string, string>,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      });
      response
        .writeHead(answer.status, {
          "content-type": answer.headers.get("content-type") ?? "",
          etag: answer.headers.get("etag") ?? "",
        })
        .end(Buffer.from(await answer.arrayBuffer()));
    });
    const principal = await keeper.principal(["ConfigService:Connection:decrypt"]);
    keeperPrincipal = principal.name;
    keeperPrincipalId = principal.id;
    runner = await startTestPawl({
      PAWL_CONFIGURATION_URL: door.url,
      PAWL_CONFIGURATION_TOKEN: principal.token,
    });
    const variables = { baseUrl: target.url, token: "cnry-far-away" };
    const made = await keeper.client.upsertConnection({
      body: { name: "api", connectionType: "rest-api", variables },
    });
    id = made.data.id;
    const { certificate, privateKey } = makeCertificate({ subject: "c" });
    await keeper.client.upsertCertificate({ body: { name: "cert", certificate, privateKey } });
  });
  after(async () => {
    mood = "open";
    await runner.close();
    await keeper.close();
    await door[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  let jobs = 0;
  const save = (step: object) =>
    runner.send({
      method: "POST",
      path: "/jobs",
      body: { name: `job ${++jobs}`, steps: [{ key: "a", type: "http", ...step }] },
    });
  const connection = { name: "api", connectionType: "rest-api" };

  test("checks jobs against what is there, and fetches it as each step begins", async () => {
    for (const reference of [{ connectionId: id }, { connection }]) {
      const { status, json } = await save({ ...reference, input: { path: "/" } });
      assert.equal(status, 201, JSON.stringify(json));
      assert.equal(json.data.steps[0].connectionId, id);
      const { data } = await runner.client.startJob({ body: { jobId: json.data.id, async: false } });
      assert.equal(data.status, "COMPLETED", JSON.stringify(data.error));
      assert.equal(target.requests.at(-1)!.headers.authorization, "Bearer cnry-far-away");
      assert.ok(!JSON.stringify(data).includes("cnry"));
      const filters = {
        action: {
          operator: "and" as const,
          constraints: [{ matchMode: "equals" as const, value: "getDecryptedConnection" }],
        },
      };
      const { data: lines } = await keeper.client.searchAudit({ body: { filters, sortBy: "id" } });
      assert.deepEqual(
        [lines[0]!.principal, lines[0]!.client],
        [keeperPrincipal, `execution ${data.executionId}`],
      );
      assert.equal((await runner.client.searchAudit({ body: { filters } })).meta!.totalElements, 0);
    }
    const unknown = await save({ connection: { ...connection, name: ".." }, input: { path: "/" } });
    assert.deepEqual([unknown.status, unknown.json.error.details[0].path], [400, "/steps/0/connection"]);
  });

  test("waits for it while it is away or busy, and refuses to save what can't be checked", async () => {
    const { json } = await save({ connection, input: { path: "/" } });
    for (const state of ["cut", "busy"] as const) {
      mood = state;
      turnedAway = Promise.withResolvers();
      const { data: started } = await runner.client.startJob({ body: { jobId: json.data.id } });
      await turnedAway.promise;
      const refused = await save({ connection, input: { path: "/" } });
      assert.deepEqual([refused.status, refused.json.error.code], [503, "STORE_UNAVAILABLE"]);
      const before = target.requests.length;
      assert.equal(
        (await runner.client.getExecution({ params: { id: started.executionId } })).data.status,
        "RUNNING",
      );
      mood = "open";
      assert.equal((await runner.ended(started.executionId)).status, "COMPLETED");
      assert.equal(target.requests.length, before + 1);
    }
  });

  test("takes variables, API templates, datasets and files from there, and nothing of its own", async () => {
    const authorities = [
      "ConfigService:GlobalVariable:read",
      "ConfigService:GlobalVariable:decrypt",
      "ConfigService:ApiTemplate:read",
      "ConfigService:Dataset:*",
      "ConfigService:File:*",
    ];
    await keeper.client.replacePrincipal({
      params: { id: keeperPrincipalId },
      body: { name: keeperPrincipal, authorities: [...authorities, "ConfigService:Connection:decrypt"] },
    });
    const { data: secret } = await keeper.client.upsertVariable({
      body: { name: "far", secret: true, value: "cnry-variable" },
    });
    await keeper.client.upsertVariable({ body: { name: "plain", value: { n: 7 } } });
    // Of the same name, and another value.
    await runner.client.upsertVariable({ body: { name: "plain", value: "of the runner" } });
    await keeper.client.upsertApiTemplate({
      body: {
        name: "a/b",
        method: "POST",
        path: `${target.url}/{{ params.id }}`,
        connectionType: null,
        body: { json: { id: "{{ params.id }}" } },
        parameters: { type: "object", properties: { id: { type: "string" } } },
      },
    });
    await keeper.client.upsertDataset({
      body: { name: "rows", columns: [{ name: "n", type: "integer" }] },
    });
    const key = (name: string, step: object) => ({ key: name, ...step });
    const steps = [
      key("said", {
        type: "set",
        input: { values: { n: "{{ vars.plain.n }}", secret: "{{ vars.far }}" } },
      }),
      key("sent", {
        type: "http",
        input: { url: target.url, method: "POST", headers: { "x-key": "{{ vars.far }}" } },
      }),
      key("filled", { type: "http", input: { apiTemplate: "a/b", apiParams: { id: "x/y" } } }),
      key("append", {
        type: "dataset",
        input: { action: "append", dataset: "rows", rows: [{ n: 1 }, { n: 2 }] },
      }),
      key("read", { type: "dataset", input: { action: "read", dataset: "rows" } }),
      key("write", { type: "file", input: { action: "write", file: "søk/1.txt", text: "Grüße" } }),
      key("open", { type: "file", input: { action: "read", file: "søk/1.txt" } }),
    ];
    const { status, json } = await runner.send({
      method: "POST",
      path: "/jobs",
      body: { name: "all", steps },
    });
    assert.equal(status, 201, JSON.stringify(json));
    const { data } = await runner.client.startJob({ body: { jobId: json.data.id, async: false } });
    assert.equal(data.status, "COMPLETED", JSON.stringify(data.error));
    const { data: execution } = await runner.client.getExecution({ params: { id: data.executionId } });
    const output = (name: string) =>
      // biome-ignore lint/suspicious/noExplicitAny: what is in it is what is tested
      execution.stepExecutions!.find(({ stepKey }) => stepKey === name)!.output as any;
    assert.deepEqual(output("said"), { n: 7, secret: "***" });
    assert.equal(target.requests.at(-2)!.headers["x-key"], "cnry-variable");
    assert.equal(target.requests.at(-1)!.url, "/x%2Fy");
    assert.deepEqual(output("append"), { appended: 2, total: 2 });
    assert.deepEqual([output("read").rows, output("read").total], [[{ n: 1 }, { n: 2 }], 2]);
    assert.equal(output("open").content, "Grüße");
    assert.equal((await keeper.client.searchFiles({ body: {} })).data[0]!.name, "søk/1.txt");
    assert.equal((await runner.client.searchFiles({ body: {} })).meta!.totalElements, 0);
    const filters = {
      action: {
        operator: "and" as const,
        constraints: [{ matchMode: "equals" as const, value: "decryptVariables" }],
      },
      client: {
        operator: "and" as const,
        constraints: [{ matchMode: "equals" as const, value: `execution ${data.executionId}` }],
      },
      targetId: {
        operator: "and" as const,
        constraints: [{ matchMode: "equals" as const, value: secret.id }],
      },
    };
    const { data: lines } = await keeper.client.searchAudit({ body: { filters } });
    assert.equal(lines.length, 2, "one for each step that uses it");

    const missing = await runner.send({
      method: "POST",
      path: "/jobs",
      body: {
        name: "missing",
        steps: [
          key("a", { type: "log", input: { message: "{{ vars.no_such }}" } }),
          key("b", { type: "http", input: { apiTemplate: "no such" } }),
        ],
      },
    });
    assert.equal(missing.status, 400);
    assert.deepEqual(
      missing.json.error.details.map(({ path }: { path: string }) => path),
      ["/steps/0/input/message", "/steps/1/input/apiTemplate"],
    );
  });

  test("says whose token lacks a right, and what is not there any more", async () => {
    const lacking = await save({ input: { url: target.url, certificate: "cert" } });
    assert.deepEqual([lacking.status, lacking.json.error.code], [503, "STORE_UNAVAILABLE"]);
    assert.match(lacking.json.message, /ConfigService:Certificate:read/);
    const { json } = await save({ connectionId: id, input: { path: "/" } });
    await keeper.client.deleteConnection({ params: { id } });
    const { data } = await runner.client.startJob({ body: { jobId: json.data.id, async: false } });
    assert.equal(data.error?.code, "CONNECTION_NOT_FOUND");
  });
});
