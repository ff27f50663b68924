import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { newId } from "../../src/lib/ids.ts";
import { columnNames, dataInputs, dataNames, dataRows, uploaded } from "../helpers/data-arbitraries.ts";
import { describedApi, type Operation } from "../helpers/described-api.ts";
import { type Received, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";
import { anyJson, arbitraryOf, type Json, spoilt } from "../helpers/schema-arbitrary.ts";

// More and other requests: FUZZ_RUNS=100000 FUZZ_SEED=$RANDOM node --test test/server/fuzz.test.ts
const runs = Number(process.env.FUZZ_RUNS ?? 3000);
const seed = Number(process.env.FUZZ_SEED ?? 20261121);

let pawl: RunningPawl;
let api: ReturnType<typeof describedApi>;

before(async () => {
  pawl = await startTestPawl({
    PAWL_SYNC_WAIT_LIMIT: "100ms",
    PAWL_EGRESS: "strict",
    PAWL_MAX_RUNNING: "50",
    PAWL_DECRYPT_LIMIT: "0",
    PAWL_PROBE_LIMIT: "0",
  });
  api = describedApi((await pawl.send({ method: "GET", path: "/openapi.json" })).json);
});
after(() => pawl.close());

/** Ids of what the fuzz itself has made: never the administrator's, which must stay. */
const made = {
  job: [] as string[],
  step: [] as string[],
  collection: [] as string[],
  execution: [] as string[],
  principal: [] as string[],
  token: [] as string[],
  connection: [] as string[],
  variable: [] as string[],
  server: [] as string[],
  certificate: [] as string[],
  dataset: [] as string[],
  file: [] as string[],
  template: [] as string[],
  /** Sealed values of connections. */
  sealed: [] as string[],
};
type Kind = keyof typeof made;

/** Stands for the id of something that is there when the request is sent. */
const existing = (kind: Kind) => fc.nat(1000).map((n) => `<${kind} ${n}>`);

/** What is configured, by where its paths begin. */
const configured = [
  ["/connection/", "connection"],
  ["/global-variable/", "variable"],
  ["/certificate/", "certificate"],
  ["/dataset/", "dataset"],
  ["/file/", "file"],
  ["/api/", "template"],
  ["/ai/mcp-servers/", "server"],
] as const;
const configuredKind = (path: string) => configured.find(([start]) => path.startsWith(start))?.[1];

function kindOf(operation: Operation, name: string): Kind | undefined {
  if (name === "connectionId") return "connection";
  if (name === "certificateId") return "certificate";
  if (name === "id" && configuredKind(operation.path)) return configuredKind(operation.path);
  if (name === "encryptedValue") return "sealed";
  if (name === "jobId" || (name === "id" && operation.path.startsWith("/jobs/"))) return "job";
  if (name === "id" && operation.path.startsWith("/step/")) return "step";
  if (name === "id" && operation.path.startsWith("/collection/")) return "collection";
  if (name === "principalId" || (name === "id" && operation.path.startsWith("/principal/")))
    return "principal";
  if (name === "id" && operation.path.startsWith("/token/")) return "token";
  if (name === "id" && operation.path.startsWith("/jobExecution/")) return "execution";
  return undefined;
}

function resolved(text: string): string {
  const latest = text.replace(
    /<latest (\d+)>/g,
    (_, n: string) => made.execution.at(-1 - Number(n)) ?? newId(),
  );
  return latest.replace(
    new RegExp(`<(${Object.keys(made).join("|")}) (\\d+)>`, "g"),
    (_, kind: Kind, n: string) => {
      const ids = made[kind];
      return ids[Number(n) % ids.length] ?? "01890a5d-ac96-774b-bcce-b302099a8057";
    },
  );
}

/** Stands for an execution, begun just before, in the state that the operation needs. */
const ready = "<ready>";
const readied: Record<string, () => Promise<string>> = {
  stopExecution: () => begun(waits),
  pauseExecution: () => begun(waits),
  resumeExecution: () => begun(waits, "pauseExecution"),
  restartExecution: () => begun(waits, "stopExecution"),
  decideExecution: () => begun(asks),
  answerExecution: () => begun(asks),
  createApprovalLinks: () => begun(asks),
};
/** Most of their bodies are refused, for the answers or the question they name: too few would be left. */
const questions = ["decideExecution", "answerExecution", "createApprovalLinks"];
/** Stands for the question that such an execution asks. */
const question = "<question>";

async function questionOf(id: string): Promise<string> {
  const { waitingFor } = (await pawl.client.getExecution({ params: { id } })).data;
  return waitingFor?.stepExecutionId ?? newId();
}

const waits = { key: "a", type: "wait", input: { duration: "1h" } };
const asks = { key: "a", type: "approval", input: { message: "May it?" } };

async function begun(
  step: typeof waits | typeof asks,
  then?: "pauseExecution" | "stopExecution",
): Promise<string> {
  const name = `ready ${newId()}`;
  const job = await pawl.client.createJob({ body: { name, steps: [step] } });
  const { executionId: id } = (await pawl.client.startJob({ body: { jobId: job.data.id } })).data;
  await pawl.readUntil(id, ({ stepExecutions }) => stepExecutions[0]!.status === "WAITING");
  if (then) await pawl.client[then]({ body: { jobExecutionId: id } });
  return id;
}

const expression = fc.constantFrom(
  "{{ params.a }}",
  "{{ job.name }}",
  "x {{ 1 + 1 }}",
  "{{ params }}",
  "{{ execution.id }}",
  "{{ vars.a }}",
  "{{",
);
const values = fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.oneof(anyJson, expression), {
  maxKeys: 3,
});
/** Steps that can run, and quickly; `http` and long scripts are left to tests of their own. */
const stepInput = fc.oneof(
  fc.record({ type: fc.constant("set"), input: fc.record({ values }) }),
  fc.record({ type: fc.constant("log"), input: fc.record({ message: fc.oneof(anyJson, expression) }) }),
  fc.record({
    type: fc.constant("wait"),
    input: fc.record({ durationMs: fc.constantFrom(0, 1, 20, 60_000) }),
  }),
  fc.record({ type: fc.constant("approval"), input: fc.record({ message: fc.constant("May it?") }) }),
  fc.record({
    type: fc.constant("http"),
    input: fc.record({ url: fc.constantFrom("http://127.0.0.1:1/", "http://169.254.169.254/") }),
  }),
  // Neither the servers nor the models answer: where nothing is there to connect to, a step ends at once.
  fc.record({
    type: fc.constant("mcp-tool"),
    input: fc.record(
      {
        serverId: existing("server"),
        server: fc.constantFrom("one", "two", "nobody", "{{ params.a }}"),
        tool: fc.constantFrom("echo", "{{ job.name }}"),
        arguments: values,
        timeoutMs: fc.constantFrom(100, 60_000),
        maxResultBytes: fc.constantFrom(1024, 0),
      },
      { requiredKeys: ["tool"] },
    ),
  }),
  fc.record(
    {
      type: fc.constant("ai-agent"),
      connectionId: existing("connection"),
      input: fc.record(
        {
          model: fc.constantFrom("m", "{{ params.a }}"),
          prompt: fc.oneof(fc.constant("Do it."), expression),
          toolsConfig: fc.record({
            mcpServers: fc.array(
              fc.oneof(
                existing("server"),
                fc.record({ serverId: existing("server"), includeTools: fc.constantFrom([], ["echo"]) }),
                expression,
              ),
              { maxLength: 2 },
            ),
          }),
          outputSchema: fc.constantFrom(
            { type: "object" },
            { type: "nope" },
            { $ref: "http://127.0.0.1:1/" },
          ),
          limits: fc.record({ maxTurns: fc.constantFrom(1, 0), maxDurationMs: fc.constantFrom(100, 1000) }),
        },
        { requiredKeys: ["model", "prompt"] },
      ),
    },
    { requiredKeys: ["type", "input"] },
  ),
);
const steps = fc.array(
  fc.tuple(stepInput, fc.constantFrom(undefined, "true", "false", "has(params.a)", "params.a > 1")),
  {
    minLength: 1,
    maxLength: 3,
  },
);
const jobInput = fc.record(
  {
    name: fc.oneof(
      fc.nat(30).map((n) => `job ${n}`),
      fc.string({ minLength: 1, maxLength: 20 }),
    ),
    steps: steps.map((list) =>
      list.map(([step, when], n) => ({ key: `s${n}`, ...step, ...(when ? { when } : {}) })),
    ),
    tags: fc.constantFrom([], ["a"], ["a", "b"]),
    description: fc.string({ maxLength: 10 }),
    parameters: fc.constantFrom({}, { type: "object", properties: { a: { type: "integer", default: 3 } } }),
    timeoutMs: fc.constantFrom(50, 1000, 100_000),
    collectionId: fc.oneof(existing("collection"), fc.constant(null)),
  },
  { requiredKeys: ["name", "steps"] },
);
const connectionNames = fc.constantFrom("a/b", "søk", "options", "one", "two", "name");
const host = fc.constantFrom("a.example", "b.example");
const secret = fc.oneof(
  { weight: 5, arbitrary: fc.constant("s3cret") },
  { weight: 2, arbitrary: fc.constantFrom("", "ENC(x)") },
  { weight: 2, arbitrary: existing("sealed") },
);
/** Few names, so that they meet again, and secrets that are entered, sent back and swapped. */
const connectionInput = fc.oneof(
  fc.record({
    name: connectionNames,
    connectionType: fc.constant("ftp"),
    variables: fc.record({ host, password: secret, "x-api-key": secret }, { requiredKeys: ["host"] }),
  }),
  fc.record({
    name: connectionNames,
    connectionType: fc.constant("chat-workspace"),
    category: fc.constantFrom("mine", "communication"),
    variables: fc.record({ botToken: secret }),
  }),
  fc.record({
    id: existing("connection"),
    name: connectionNames,
    connectionType: fc.constant("ftp"),
    variables: fc.record({ host }),
  }),
  // Can be tested: nothing answers there.
  fc.record({
    name: connectionNames,
    connectionType: fc.constant("rest-api"),
    variables: fc.constant({ baseUrl: "http://127.0.0.1:1/" }),
  }),
);
const variableNames = fc.constantFrom("a", "b", "C_1", "in");
const variableValue = fc.oneof(anyJson, fc.constantFrom("text", "ENC(x)"));
const variableInput = fc.oneof(
  fc.record(
    { name: variableNames, value: variableValue, secret: fc.boolean() },
    { requiredKeys: ["name", "value"] },
  ),
  fc.record({ id: existing("variable"), name: variableNames }),
);
/** Few names; credentials that are entered, sent back masked, and left out; addresses that lead nowhere. */
const mcpServerInput = fc
  .record({
    name: fc.constantFrom("one", "ONE", "two", "søk", "a/b"),
    url: fc.constantFrom("http://127.0.0.1:1/mcp", "http://169.254.169.254/mcp"),
    auth: fc.oneof(
      fc.record({ authType: fc.constant("NONE") }),
      fc.record({
        authType: fc.constant("BEARER"),
        authConfig: fc.record({ token: fc.constantFrom("s3cret", "********", "vault:x") }),
      }),
      fc.record({
        authType: fc.constant("CUSTOM"),
        authConfig: fc.record({
          headers: fc.dictionary(fc.constantFrom("x-a", "x-b"), fc.constantFrom("s3cret", "********")),
          more: anyJson,
        }),
      }),
      fc.constant({}),
    ),
    tags: fc.constantFrom([], ["a"]),
  })
  .map(({ auth, ...rest }) => ({ ...rest, ...auth }));
const dataInput = dataInputs(existing);
const fieldNames = ["id", "name", "description", "tags", "version", "createdAt", "updatedBy", "nope"];
const filterOf = (fields: string[]) =>
  fc.dictionary(
    fc.constantFrom(...fields),
    fc.record({
      operator: fc.constantFrom("and", "or"),
      constraints: fc.array(
        fc.record({
          value: fc.oneof(
            fc.constantFrom("a", "%", "_", 1, 2, "2026-01-01", ["a"], [1, 5], ["2026-01-01", "2027-01-01"]),
            anyJson,
          ),
          matchMode: fc.constantFrom(
            "equals",
            "notEquals",
            "contains",
            "notContains",
            "startsWith",
            "endsWith",
            "in",
            "gt",
            "lt",
            "gte",
            "lte",
            "between",
          ),
        }),
        { minLength: 1, maxLength: 3 },
      ),
    }),
    { maxKeys: 2 },
  );

interface Asked {
  operation: Operation;
  path: string;
  body: string | Buffer | undefined;
  headers: Record<string, string>;
}

function requestTo(operation: Operation): fc.Arbitrary<Asked> {
  const known = (name: string): fc.Arbitrary<unknown> | undefined => {
    if (name === "JobInput") return jobInput;
    if (name === "ConnectionInput") return connectionInput;
    if (name === "VariableInput") return variableInput;
    if (name === "McpServerInput") return mcpServerInput;
    if (name in dataInput) return dataInput[name];
    if (name === "connectionName") return connectionNames;
    if (name === "type" && operation.path.startsWith("/connection/name/")) return fc.constant("ftp");
    if (name === "name" && operation.path.startsWith("/global-variable/")) return variableNames;
    if (/^(certificate|dataset|file|template)Name$/.test(name)) return dataNames;
    if (name === "name" && operation.bytes.length > 0) return dataNames;
    if (name === "rows") return dataRows;
    if (name === "column") return fc.constantFrom("a:string", "b:string", "a:date");
    if (name === "delimiter") return fc.constantFrom("comma", "tab");
    if (name === "expectedVersion" && /\/(upsert|upload)$/.test(operation.path)) return fc.constantFrom(1, 2);
    if (name === "ids" && operation.path.endsWith("/bulk-delete")) {
      const kind = existing(configuredKind(operation.path)!);
      return fc.uniqueArray(fc.oneof(kind, fc.uuid()), { minLength: 1, maxLength: 3 });
    }
    const fields = operation.operationId === "searchDatasetRows" ? columnNames : fieldNames;
    if (name === "filters") return fc.oneof(filterOf(fields), fc.constant(null));
    if (name === "resource") return fc.constant("https://pawl.example/mcp");
    if (name === "moveTo") return fc.oneof(existing("collection"), fc.constant("none"));
    if (name === "sortBy") return fc.constantFrom("relevance", ...fields);
    // Few enough to meet again, and many enough not to.
    if (name === "idempotency-key") return fc.nat(40).map((n) => `key ${n}`);
    // Of those started long ago most are over, and what a bulk action reaches is over at once.
    if (name === "jobExecutionId" || (name === "id" && operation.operationId === "createApprovalLinks"))
      return fc.oneof(
        { weight: 4, arbitrary: existing("execution") },
        { weight: 4, arbitrary: fc.nat(4).map((n) => `<latest ${n}>`) },
        { weight: questions.includes(operation.operationId) ? 16 : 1, arbitrary: fc.constant(ready) },
      );
    if (name === "stepExecutionId") return fc.constant(question);
    if (name === "step") return fc.constantFrom("s0", "s1", "s2");
    const kind = kindOf(operation, name);
    return kind && fc.oneof({ weight: 9, arbitrary: existing(kind) }, { weight: 1, arbitrary: fc.uuid() });
  };
  const parts = operation.parameters.map(({ name, in: place, required, schema }) => {
    const fitting = known(name) ?? arbitraryOf(schema, api.components, known);
    const wrong = fc.oneof(anyJson, fc.string({ unit: "grapheme", maxLength: 6 }));
    const value = fc.oneof({ weight: 12, arbitrary: fitting }, { weight: 1, arbitrary: wrong });
    // What must fit the body, or what is there, hardly ever does by chance: hardly anything would be uploaded.
    const rarely = /^content-|^expectedVersion$|^onExisting$/.test(name);
    const left = { weight: rarely ? 8 : 1, arbitrary: fc.constant(undefined) };
    const optional = fc.oneof(left, { weight: rarely ? 1 : 5, arbitrary: value });
    return [name, place, required ? value : optional] as const;
  });
  const given = fc.tuple(...parts.map(([, , value]) => value));
  const plain = operation.body ? arbitraryOf(operation.body, api.components, known) : fc.constant(undefined);
  const asJson = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 2, arbitrary: plain.chain(spoilt) });
  const body: fc.Arbitrary<unknown> = operation.body
    ? asJson.map((value) => JSON.stringify(value))
    : operation.bytes.length > 0
      ? uploaded
      : fc.constant(undefined);
  const types = operation.bytes.map((type) => (type === "*/*" ? "application/octet-stream" : type));
  const type = fc.constantFrom(...types, ...types, "text/csv; charset=utf-8", "text/html");
  const extra = fc.oneof(
    { weight: 30, arbitrary: fc.constant("") },
    { weight: 1, arbitrary: fc.constantFrom("nope=1", "page=1&page=2", "%00") },
  );
  return fc.record({ given, body, extra, type }).map(({ given, body, extra, type }) => {
    let path = operation.path;
    const query: string[] = [];
    const headers: Record<string, string> = operation.bytes.length > 0 ? { "content-type": type } : {};
    for (const [i, value] of given.entries()) {
      const [name, place] = parts[i]!;
      const text = typeof value === "string" ? value : JSON.stringify(value);
      // What is empty or a dot names another route, and what is no text can't be sent.
      const encoded = encodeURIComponent((text ?? "").toWellFormed()).replace(/^\.{0,2}$/, "-");
      if (place === "path") path = path.replace(`{${name}}`, encoded);
      else if (text !== undefined && place === "query") query.push(`${name}=${encoded}`);
      else if (text !== undefined && place === "header" && /^[\x20-\x7e]+$/.test(text)) headers[name] = text;
    }
    if (extra) query.push(extra);
    const target = query.length > 0 ? `${path}?${query.join("&")}` : path;
    return {
      operation,
      path: target,
      body: body as Asked["body"],
      headers,
    };
  });
}

/** A stream has no end to wait for, and what drains the engine would leave the rest without one. */
const leftOut = ["watchExecution", "watchExecutions", "watchMcpServerDiscovery", "drain"];
/** Chance finds no token and no identity provider, and hardly an execution just while it runs. */
const blind = [
  "signIn",
  "beginOidcSignIn",
  "finishOidcSignIn",
  "showApproval",
  "submitApproval",
  "pauseExecution",
  "resumeExecution",
];

const seen = new Map<string, Set<number>>();

/** Sends it, and checks that what was made can be read and what was deleted can't. */
async function send({ operation, path, body, headers }: Asked): Promise<void> {
  const isReady =
    path.includes(encodeURIComponent(ready)) || (typeof body === "string" && body.includes(ready));
  const id = isReady ? await readied[operation.operationId]!() : "";
  const asked = isReady ? await questionOf(id) : newId();
  const filled = (text: string, write: (mark: string) => string) =>
    text.replaceAll(write(ready), id).replaceAll(write(question), asked);
  // In a path the marks are encoded.
  const target = resolved(filled(path, encodeURIComponent).replace(/%3C([a-z]+)%20(\d+)%3E/g, "<$1 $2>"));
  const answer = await pawl.send({
    method: operation.method,
    path: target,
    headers,
    body: typeof body === "string" ? resolved(filled(body, (mark) => mark)) : body,
  });
  api.check(operation, answer);
  seen.set(operation.operationId, (seen.get(operation.operationId) ?? new Set()).add(answer.status));
  if (answer.status < 400) await follow(operation.operationId, target, answer);
}

/** A rotation that the fuzz began may seal a value anew between the two. */
const unsealed = (data: unknown): unknown =>
  JSON.parse(JSON.stringify(data ?? null).replace(/ENC\(v1\.[^)"]*\)/g, "ENC()"));

const read = (path: string) => pawl.send({ method: "GET", path });

async function follow(name: string, path: string, { json }: Received): Promise<void> {
  const data = json?.data as Json & { id: string };
  const record = async (kind: Kind, at: string) => {
    const found = await read(`${at}/${data.id}`);
    assert.deepEqual(unsealed(found.json?.data), unsealed(data), `${name}: what was written is what is read`);
    if (!made[kind].includes(data.id)) made[kind].push(data.id);
  };
  const removed = async (kind: Kind) => {
    const id = path.split("/").at(-1)!.split("?")[0]!.toLowerCase();
    assert.equal(
      (await read(path.split("?")[0]!.replace("/delete/", "/"))).status,
      404,
      `${name}: what was deleted is not there`,
    );
    made[kind].splice(made[kind].indexOf(id) >>> 0, 1);
  };
  if (name.startsWith("delete") && path.includes("/bulk-delete")) {
    const ids = made[configuredKind(path)!];
    for (const id of (json.data as { deleted: string[] }).deleted) ids.splice(ids.indexOf(id) >>> 0, 1);
    return;
  }
  switch (name) {
    case "createJob":
    case "importJob":
    case "replaceJob":
    case "restoreJobVersion":
      made.step.push(...(data.steps as { id: string }[]).map((step) => step.id));
      return record("job", "/jobs");
    case "createCollection":
    case "replaceCollection":
      return record("collection", "/collection");
    case "deleteCollection":
      return removed("collection");
    case "createPrincipal":
    case "replacePrincipal":
      return record("principal", "/principal");
    case "deleteJob":
      return removed("job");
    case "deletePrincipal":
      return removed("principal");
    case "deleteConnection":
      return removed("connection");
    case "deleteVariable":
      return removed("variable");
    case "registerMcpServer":
    case "replaceMcpServer":
      return record("server", "/ai/mcp-servers");
    case "deleteMcpServer":
      return removed("server");
    case "deleteCertificate":
      return removed("certificate");
    case "deleteDataset":
      return removed("dataset");
    case "deleteFile":
      return removed("file");
    case "deleteApiTemplate":
      return removed("template");
    case "upsertCertificate":
      return record("certificate", "/certificate");
    case "upsertDataset":
    case "uploadDataset":
    case "appendDatasetRows":
      return record("dataset", "/dataset");
    case "uploadFile":
      return record("file", "/file");
    case "upsertApiTemplate":
      return record("template", "/api");
    case "upsertConnection":
      made.sealed.push(
        ...Object.values(data.variables as Record<string, string>).filter((text) => text.startsWith("ENC(")),
      );
      return record("connection", "/connection");
    case "upsertVariable":
      return record("variable", "/global-variable");
    case "createToken":
      assert.equal(
        (await pawl.send({ method: "GET", path: "/me", token: data.token as string })).status,
        data.scopes === null ? 200 : 401,
        "a token for MCP opens nothing of the API",
      );
      made.token.push(data.id);
      return;
    case "startJob": {
      const found = await read(`/jobExecution/${json.executionId}`);
      const { id, jobId, workflowId } = found.json.data;
      assert.deepEqual([id, jobId, workflowId], [json.executionId, json.jobId, json.workflowId]);
      made.execution.push(id);
    }
  }
}

test(`answers ${runs} generated requests as its document says (seed ${seed})`, {
  timeout: 3_600_000,
}, async () => {
  // Reads follow writes often enough when those that make things come more often.
  const weight: Record<string, number> = {
    createJob: 4,
    importJob: 3,
    startJob: 6,
    replaceJob: 2,
    createCollection: 2,
    createPrincipal: 2,
    createToken: 2,
    searchJobs: 3,
    pauseExecution: 2,
    resumeExecution: 2,
    restartExecution: 2,
    answerExecution: 4,
    createApprovalLinks: 2,
    upsertConnection: 12,
    upsertVariable: 8,
    registerMcpServer: 6,
    upsertCertificate: 3,
    uploadDataset: 4,
    upsertDataset: 2,
    appendDatasetRows: 2,
    searchDatasetRows: 2,
    uploadFile: 8,
    upsertApiTemplate: 4,
    decryptConnectionValue: 3,
    getConnectionByName: 3,
    getVariableByName: 2,
    getExecutionLogs: 2,
  };
  const sent = api.operations.filter(({ operationId }) => !leftOut.includes(operationId));
  const request = fc.oneof(
    ...sent.map((operation) => ({
      weight: weight[operation.operationId] ?? 1,
      arbitrary: requestTo(operation),
    })),
  );
  await fc.assert(fc.asyncProperty(request, send), { numRuns: runs, seed, endOnFailure: true });
  const isSilent = ({ operationId, responses }: Operation) => {
    const statuses = seen.get(operationId) ?? new Set();
    return !Object.keys(responses).some((status) => status < "300" && statuses.has(Number(status)));
  };
  const asked = sent.filter(({ operationId }) => !blind.includes(operationId));
  // Chance may have passed some by: they are asked for themselves, beside those that make what they need.
  const makers = sent.filter(({ operationId }) => /^(create|start|upsert|upload|register)/.test(operationId));
  const areaOf = ({ path }: Operation) => path.split("/")[1];
  for (const operation of asked.filter(isSilent)) {
    const own = (maker: Operation) => areaOf(maker) === areaOf(operation);
    const more = fc.oneof(
      { weight: makers.length, arbitrary: requestTo(operation) },
      ...makers.map((maker) => ({ weight: own(maker) ? 6 : 1, arbitrary: requestTo(maker) })),
    );
    for (const request of fc.sample(more, { numRuns: 400, seed })) {
      if (!isSilent(operation)) break;
      await send(request);
    }
  }
  const silent = asked.filter(isSilent);
  assert.deepEqual(
    silent.map(({ operationId }) => operationId),
    [],
    "operations that never succeeded: the fuzz is blind to them",
  );
  assert.equal((await read("/health/ready")).status, 200);
});
