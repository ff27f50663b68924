import assert from "node:assert/strict";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { TLSSocket } from "node:tls";
import type { JobInput } from "../../src/contract/job.ts";
import { makeCertificate } from "../helpers/certificates.ts";
import { gate } from "../helpers/gate.ts";
import { echo, httpServer, type TestHttpServer } from "../helpers/http-server.ts";
import { type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

type Step = JobInput["steps"][number];

/** What steps use of the configuration service, through the API of a whole server. */
describe("steps", () => {
  let pawl: RunningPawl;
  let server: TestHttpServer;
  let jobs = 0;

  before(async () => {
    pawl = await startTestPawl();
    server = await httpServer(echo);
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    await pawl.close();
  });

  async function save(steps: Step[], parameters?: JobInput["parameters"]) {
    const body = { name: `job ${++jobs}`, steps, ...(parameters ? { parameters } : {}) };
    return (await pawl.client.createJob({ body })).data;
  }

  async function start(jobId: string, parameters: Record<string, unknown> = {}) {
    const { data: started } = await pawl.client.startJob({ body: { jobId, async: false, parameters } });
    const { data } = await pawl.client.getExecution({ params: { id: started.executionId } });
    const of = (key: string) => data.stepExecutions!.find((each) => each.stepKey === key)!;
    // biome-ignore lint/suspicious/noExplicitAny: as it comes
    return { ...data, of, output: (key: string) => of(key).output as any };
  }

  const run = async (steps: Step[], parameters?: Record<string, unknown>) =>
    start((await save(steps)).id, parameters);

  async function upsert(noun: string, body: object): Promise<string> {
    const { json, text } = await pawl.send({ method: "POST", path: `/${noun}/upsert`, body });
    assert.ok(json.data, text);
    return json.data.id;
  }

  test("read rows of a dataset, append to it, and are told what does not fit", async () => {
    const csv = "day,amount\n2026-01-01,1.5\n2026-01-02,2.5\n2026-01-03,3.5\n";
    const uploaded = await pawl.send({
      method: "POST",
      path: "/dataset/upload?name=sales",
      headers: { "content-type": "text/csv" },
      body: csv,
    });
    assert.equal(uploaded.status, 201, uploaded.text);
    const { id } = uploaded.json.data;
    const job = await save([
      {
        key: "some",
        type: "dataset",
        input: {
          dataset: "sales",
          filters: {
            amount: { operator: "and", constraints: [{ value: "{{ params.least }}", matchMode: "gte" }] },
          },
          sortBy: "amount",
          sortOrder: "desc",
          size: 1,
        },
      },
      {
        key: "add",
        type: "dataset",
        input: {
          dataset: id,
          action: "append",
          rows: [{ day: "2026-01-04", amount: "{{ steps.some.output.total }}" }],
        },
      },
      { key: "all", type: "dataset", input: { dataset: "sales" } },
    ]);
    const done = await start(job.id, { least: 2 });
    assert.equal(done.status, "COMPLETED", JSON.stringify(done.error));
    assert.deepEqual(done.output("some"), {
      rows: [{ day: "2026-01-03", amount: 3.5 }],
      total: 2,
      columns: [
        { name: "day", type: "date" },
        { name: "amount", type: "number" },
      ],
    });
    assert.deepEqual(done.output("add"), { appended: 1, total: 4 });
    assert.deepEqual(done.output("all").rows[3], { day: "2026-01-04", amount: 2 });
    const { data } = await pawl.client.getDataset({ params: { id } });
    assert.deepEqual([data.rowCount, data.updatedBy], [4, `job ${job.name}`]);

    const refused: [Step["input"], string, RegExp][] = [
      [
        { dataset: "sales", action: "append", rows: [{ day: "never" }] },
        "RECORD_REFUSED",
        /"never", which is not a date/,
      ],
      [{ dataset: "sales", action: "append", rows: [{ amuont: 1 }] }, "RECORD_REFUSED", /amount/],
      [{ dataset: "sales", sortBy: "nothing" }, "RECORD_REFUSED", /sortBy is not a field.*day, amount/],
      [{ dataset: "sales", filters: { day: { operator: "or" } } }, "RECORD_REFUSED", /day|constraints/],
      [{ dataset: "{{ 'sal' + 'e' }}" }, "RECORD_NOT_FOUND", /no dataset "sale" any more/],
    ];
    for (const [input, code, message] of refused) {
      const { error } = await run([{ key: "a", type: "dataset", input: input! }]);
      assert.equal(error?.code, code, JSON.stringify(error));
      assert.match(error!.message, message);
    }
    assert.equal((await pawl.client.getDataset({ params: { id } })).data.rowCount, 4, "all or none");
    const forced = await pawl.send({ method: "DELETE", path: `/dataset/delete/${id}?force=true` });
    assert.equal(forced.status, 200, forced.text);
    assert.match((await start(job.id, { least: 2 })).error!.message, /There is no dataset "sales" any more/);
  });

  test("keep files and read them again, as what they are", async () => {
    const write = (key: string, file: string, more: object): Step => ({
      key,
      type: "file",
      input: { file, action: "write", ...more },
    });
    const read = (key: string, file: string, more: object = {}): Step => ({
      key,
      type: "file",
      input: { file, ...more },
    });
    const { status, error, output } = await run(
      [
        write("j", "report {{ params.day }}.json", { json: { day: "{{ params.day }}", list: [1] } }),
        write("t", "søk/../note.txt", { text: "héllo" }),
        write("b", "bytes", { binary: "AP8=" }),
        write("page", "page", { text: "<b>", contentType: "text/html" }),
        read("rj", "report {{ params.day }}.json"),
        read("rt", "søk/../note.txt"),
        read("rb", "bytes"),
        read("rp", "page"),
        read("as", "report {{ params.day }}.json", { as: "text" }),
        read("id", "{{ steps.b.output.id }}", { as: "binary" }),
        write("again", "bytes", { text: "new" }),
        read("new", "bytes"),
      ],
      { day: "2026-01-31" },
    );
    assert.equal(status, "COMPLETED", JSON.stringify(error));
    assert.deepEqual(output("rj").content, { day: "2026-01-31", list: [1] });
    assert.deepEqual(
      ["rt", "rb", "rp", "as", "id", "new"].map((key) => output(key).content),
      ["héllo", "AP8=", "<b>", '{"day":"2026-01-31","list":[1]}', "AP8=", "new"],
    );
    assert.deepEqual(
      [output("j").contentType, output("rt").contentType, output("rp").contentType, output("b").size],
      ["application/json", "text/plain; charset=utf-8", "text/html", 2],
    );
    const failing: [Step, string, RegExp][] = [
      [read("a", "nowhere"), "RECORD_NOT_FOUND", /no file "nowhere"/],
      [read("a", "bytes", { maxBytes: 2 }), "RESULT_TOO_LARGE", /has 3 bytes, and the limit is 2/],
      [read("a", "bytes", { as: "json" }), "CONTENT_INVALID", /is not JSON/],
      [write("a", "bytes", { text: "", onExisting: "fail" }), "RECORD_REFUSED", /already/],
      [write("a", "x", { text: "", contentType: "no type" }), "RECORD_REFUSED", /not a media type/],
      [write("a", "x", { binary: "{{ '%' }}" }), "INVALID_INPUT", /must be base64/],
    ];
    for (const [step, code, message] of failing) {
      const { error } = await run([step]);
      assert.equal(error?.code, code, JSON.stringify(error));
      assert.match(error!.message, message);
    }
  });

  test("make requests of API templates, through a connection or without one", async () => {
    await upsert("connection", {
      name: "api",
      connectionType: "rest-api",
      variables: { baseUrl: `${server.url}/v1`, token: "cnry-template" },
    });
    const template = await upsert("api", {
      name: "invoice",
      method: "POST",
      path: "/customers/{{ params.customer }}/invoices?kind=full",
      headers: { accept: "application/json", "x-from": "template" },
      query: { lang: "{{ params.lang }}" },
      body: { json: { total: "{{ params.total }}" } },
      parameters: {
        type: "object",
        required: ["customer", "total"],
        properties: {
          customer: { type: "string" },
          total: { type: "number" },
          lang: { type: "string", default: "en" },
        },
      },
    });
    await upsert("api", {
      name: "alone",
      connectionType: null,
      method: "GET",
      path: `${server.url}/alone/{{ params.x }}`,
    });
    const connection = { name: "api", connectionType: "rest-api" as const };
    const fill = (apiParams: object, more: object = {}): Step => ({
      key: "a",
      type: "http",
      connection,
      input: { apiTemplate: "invoice", apiParams, ...more },
    });
    const done = await run([
      fill(
        { customer: "a/b?c#d", total: "{{ 2.0 * 4.0 }}" },
        { headers: { "x-from": "step" }, query: { page: 2 } },
      ),
      {
        key: "b",
        type: "http",
        connection,
        input: { apiTemplate: template, apiParams: { customer: "c", total: 1 } },
      },
      { key: "c", type: "http", input: { apiTemplate: "alone", apiParams: { x: "1" } } },
    ]);
    assert.equal(done.status, "COMPLETED", JSON.stringify(done.error));
    const { method, url, headers, body } = done.output("a").body;
    assert.deepEqual([method, body], ["POST", '{"total":8}']);
    assert.equal(url, "/v1/customers/a%2Fb%3Fc%23d/invoices?kind=full&lang=en&page=2");
    assert.deepEqual([headers["x-from"], headers.authorization], ["step", "Bearer ***"]);
    assert.equal(done.output("c").body.url, "/alone/1");
    assert.equal(done.output("c").body.headers.authorization, undefined);

    const failing: [Step, RegExp][] = [
      [fill({ customer: "c" }), /"invoice" can't be filled in: .*total/],
      [
        { ...fill({ customer: "c", total: 1 }), connection: undefined } as never,
        /is for a connection, and the step has none/,
      ],
      [fill({ customer: "..", total: 1 }), /is of dots only/],
    ];
    for (const [step, message] of failing) {
      const { error } = await run([step]);
      assert.equal(error?.code, "INVALID_INPUT", JSON.stringify([step.input, error]));
      assert.match(error!.message, message);
    }
  });

  test("show a certificate where it is asked for, trust whom they are told to, and neither behind a redirect", async () => {
    const authority = makeCertificate({ subject: "authority", authority: true });
    const own = makeCertificate({ subject: "localhost", dns: ["localhost"], issuer: authority });
    const client = makeCertificate({ subject: "pawl client", issuer: authority });
    const seen: [string, unknown][] = [];
    const listen = async (): Promise<{ server: Server; url: string }> => {
      const secure = createServer(
        {
          cert: own.certificate,
          key: own.privateKey,
          ca: authority.certificate,
          requestCert: true,
          rejectUnauthorized: false,
        },
        (request, response) => {
          seen.push([request.url!, (request.socket as TLSSocket).getPeerCertificate().subject?.CN]);
          const to = new URL(request.url!, "https://x").searchParams.get("to");
          if (to) response.writeHead(302, { location: to });
          response.end();
        },
      );
      await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve));
      return { server: secure, url: `https://localhost:${(secure.address() as AddressInfo).port}` };
    };
    const [first, other] = [await listen(), await listen()];
    try {
      await upsert("certificate", {
        name: "client",
        certificate: client.certificate,
        privateKey: client.privateKey,
      });
      await upsert("certificate", { name: "authority", certificate: authority.certificate });
      const ask = (url: string, more: object): Step => ({ key: "a", type: "http", input: { url, ...more } });
      const both = { certificate: "client", trust: "authority" };
      assert.equal((await run([ask(`${first.url}/mutual`, both)])).status, "COMPLETED");
      assert.equal((await run([ask(`${first.url}/trusted`, { trust: "authority" })])).status, "COMPLETED");
      const same = `${first.url}/redirected?to=${encodeURIComponent(`${first.url}/within`)}`;
      assert.equal((await run([ask(same, both)])).status, "COMPLETED");
      assert.deepEqual(seen, [
        ["/mutual", "pawl client"],
        ["/trusted", undefined],
        [new URL(same).pathname + new URL(same).search, "pawl client"],
        ["/within", "pawl client"],
      ]);
      const across = await run([ask(`${first.url}/?to=${encodeURIComponent(`${other.url}/beyond`)}`, both)]);
      assert.equal(across.error?.code, "TLS_FAILED", "the authority is trusted for the first origin only");
      assert.ok(!seen.some(([url]) => url === "/beyond"));
      const without = await run([ask(`${first.url}/untrusted`, { certificate: "client" })]);
      assert.equal(without.error?.code, "TLS_FAILED");
      const keyless = await run([
        ask(`${first.url}/keyless`, { certificate: "authority", trust: "authority" }),
      ]);
      assert.match(keyless.error!.message, /"authority" has no private key, and can only be trusted/);
      const { data: lines } = await pawl.client.searchAudit({
        body: {
          filters: {
            action: {
              operator: "and",
              constraints: [{ matchMode: "equals", value: "getDecryptedCertificate" }],
            },
          },
        },
      });
      assert.ok(
        lines.length > 0 &&
          lines.every(({ principal, client }) => principal === "pawl runtime" && /^execution /.test(client!)),
      );
    } finally {
      for (const { server } of [first, other]) {
        server.closeAllConnections();
        server.close();
      }
    }
  });

  test("use a connection as it is when they begin, and say so when it is gone", async () => {
    const variables = { baseUrl: server.url, token: "cnry-first" };
    const id = await upsert("connection", { name: "changing", connectionType: "rest-api", variables });
    const job = await save([{ key: "a", type: "http", connectionId: id, input: { path: "/" } }]);
    const sent = async () => {
      const { status, error, output } = await start(job.id);
      assert.equal(status, "COMPLETED", JSON.stringify(error));
      assert.equal(output("a").body.headers.authorization, "Bearer ***");
      return server.requests.at(-1)!.headers.authorization;
    };
    assert.equal(await sent(), "Bearer cnry-first");
    await upsert("connection", {
      id,
      name: "renamed",
      connectionType: "rest-api",
      variables: { ...variables, token: "cnry-second" },
    });
    assert.equal(await sent(), "Bearer cnry-second");
    const path = `/connection/delete/${id}?force=true`;
    assert.equal((await pawl.send({ method: "DELETE", path })).status, 200);
    const { error } = await start(job.id);
    assert.equal(error?.code, "CONNECTION_NOT_FOUND");
    assert.match(error!.message, new RegExp(`The connection ${id} .* is not there any more`));
  });

  test("and tests of connections end when who asked for them has gone", async () => {
    await using held = await gate();
    const variables = { baseUrl: held.url };
    const body = { name: "held", connectionType: "rest-api" as const, variables };
    const caller = new AbortController();
    const testing = pawl.client.testConnectionInput({ body, signal: caller.signal });
    const asked = await held.asked();
    caller.abort(new Error("gone"));
    await assert.rejects(testing, /gone/);
    await held.gone(asked);
  });

  test("let no value of a variable become another header, host or path", async () => {
    const evil = ["a\r\nx-injected: 1", "a\nb", "a\0b"];
    for (const [i, value] of evil.entries()) {
      await upsert("global-variable", {
        name: `EVIL${i}`,
        value: JSON.parse(JSON.stringify(value).replace("\\u0000", "\\t")),
        secret: true,
      });
      const { error } = await run([
        { key: "a", type: "http", input: { url: server.url, headers: { "x-a": `{{ vars.EVIL${i} }}` } } },
      ]);
      if (value.includes("\0")) continue;
      assert.equal(error?.code, "INVALID_INPUT", JSON.stringify(error));
      assert.match(error!.message, /x-a has a line break or another control character/);
      assert.ok(!error!.message.includes("injected"));
    }
    await upsert("global-variable", { name: "PATH", value: "../../admin?x=", secret: true });
    const { error } = await run([
      {
        key: "a",
        type: "http",
        connection: { name: "api", connectionType: "rest-api" },
        input: { path: "/x/{{ vars.PATH }}" },
      },
    ]);
    assert.match(error!.message, /leads out of the connection's base URL/);
    await upsert("global-variable", { name: "KEY", value: "cnry-in-a-url", secret: true });
    const failed = await run([
      { key: "a", type: "http", input: { url: "http://127.0.0.1:1/{{ vars.KEY }}?page={{ vars.KEY }}" } },
    ]);
    assert.match(
      failed.error!.message,
      /GET http:\/\/127\.0\.0\.1:1\/\*\*\*\?page=\*\*\* could not be reached/,
    );
    for (const { headers, url } of server.requests) {
      assert.ok(!("x-injected" in headers) && !url!.includes("admin"), url);
    }
  });
});
