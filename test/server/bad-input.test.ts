import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ErrorCode } from "../../src/contract/errors.ts";
import { type Route, type RouteName, routes } from "../../src/contract/routes.ts";
import { newId } from "../../src/lib/ids.ts";
import { makeCertificate } from "../helpers/certificates.ts";
import { faultsOf, pointerTo, type Schema, withFault } from "../helpers/faulty-values.ts";
import { type Raw, type Received, type RunningPawl, startTestPawl } from "../helpers/running-pawl.ts";

let pawl: RunningPawl;
const ids: Record<string, string> = {};

const set = (key: string, values: object = {}) => ({ key, type: "set", input: { values } });
const job = (more: object = {}) => ({ name: "a job", steps: [set("one")], ...more });
const steps = (...list: object[]) => job({ steps: list });

const connection = () => ({
  name: "c",
  connectionType: "ftp" as const,
  variables: { host: "ftp.example.com" },
});
const api = () => ({
  name: "a",
  connectionType: "rest-api" as const,
  variables: { baseUrl: "https://a.example" },
});
const variable = () => ({ name: "v", value: 1 });
const shown = makeCertificate({ subject: "a.example" });
const certificate = () => ({ name: "c", certificate: shown.certificate });
const columns = [
  { name: "name", type: "string" as const },
  { name: "n", type: "integer" as const },
];
const dataset = () => ({ name: "d", columns });
const template = () => ({ name: "t", method: "GET" as const, path: "/orders" });
const text = { "content-type": "text/csv" };
const mcpServer = () => ({
  name: "s",
  url: "https://mcp.example/mcp",
  authType: "BEARER" as const,
  authConfig: { token: "a token" },
});

before(async () => {
  pawl = await startTestPawl({ PAWL_PROBE_LIMIT: "0" });
  const made = await pawl.client.createJob({
    body: { ...job({ name: "there" }), steps: [set("one"), set("two")] },
  });
  ids.job = made.data.id;
  ids.step = made.data.steps[0]!.id;
  const collection = await pawl.client.createCollection({ body: { name: "a collection" } });
  ids.collection = collection.data.id;
  await pawl.client.createCollection({ body: { name: "another" } });
  const started = await pawl.client.startJob({ body: { jobId: ids.job, async: false } });
  ids.execution = started.data.executionId;
  const someone = await pawl.principal([]);
  ids.principal = someone.id;
  ids.token = someone.tokenId;
  ids.connection = (await pawl.client.upsertConnection({ body: connection() })).data.id;
  await pawl.client.upsertConnection({ body: { ...connection(), name: "another" } });
  ids.variable = (await pawl.client.upsertVariable({ body: variable() })).data.id;
  await pawl.client.upsertVariable({ body: { ...variable(), name: "another" } });
  ids.certificate = (await pawl.client.upsertCertificate({ body: certificate() })).data.id;
  await pawl.client.upsertCertificate({ body: { ...certificate(), name: "another" } });
  ids.dataset = (await pawl.client.upsertDataset({ body: dataset() })).data.id;
  await pawl.client.upsertDataset({ body: { ...dataset(), name: "another" } });
  ids.template = (await pawl.client.upsertApiTemplate({ body: template() })).data.id;
  await pawl.client.upsertApiTemplate({ body: { ...template(), name: "another" } });
  ids.mcpServer = (await pawl.client.registerMcpServer({ body: mcpServer() })).data.id;
  await pawl.client.registerMcpServer({ body: { ...mcpServer(), name: "another" } });
  const bytes = { type: "text/plain", content: "x" };
  ids.file = (await pawl.client.uploadFile({ query: { name: "f" }, bytes })).data.id;
});
after(() => pawl.close());

type Expected = { code: ErrorCode; paths?: string[]; message?: RegExp };
/** A body (a string is sent as it is), a query, or both, and what it is refused with. */
type Row = [
  what: string,
  sent: { body?: unknown; query?: string; headers?: Record<string, string>; id?: string },
  expected: Expected,
];

/** For what is wrong as a whole: there is no place to name. */
const nowhere: string[] = [];
const invalid = (...paths: string[]): Expected => ({ code: "VALIDATION_FAILED", paths });
const malformed: Expected = { code: "MALFORMED_JSON" };
const missing: Expected = { code: "NOT_FOUND" };
const unsupported: Expected = { code: "UNSUPPORTED_MEDIA_TYPE" };

const contains = (field: string) => ({
  filters: { [field]: { operator: "and", constraints: [{ value: "a", matchMode: "contains" }] } },
});

/** Valid requests: what the general faults below are put into. */
const valid: Record<
  RouteName,
  {
    params?: () => Record<string, string>;
    query?: Record<string, string>;
    body?: () => unknown;
    headers?: Record<string, string>;
  }
> = {
  live: {},
  ready: {},
  createJob: { body: job },
  searchJobs: { body: () => contains("name") },
  importJob: { body: job },
  checkJob: { body: job },
  getJob: { params: () => ({ id: ids.job! }) },
  replaceJob: { params: () => ({ id: ids.job! }), body: job },
  deleteJob: { params: () => ({ id: ids.job! }) },
  listJobVersions: { params: () => ({ id: ids.job! }) },
  getJobVersion: { params: () => ({ id: ids.job!, version: "1" }) },
  restoreJobVersion: { params: () => ({ id: ids.job!, version: "1" }) },
  exportJob: { params: () => ({ id: ids.job! }) },
  listStepTypes: {},
  searchAll: { body: () => contains("name") },
  getStep: { params: () => ({ id: ids.step! }) },
  searchSteps: { body: () => contains("name") },
  createCollection: { body: () => ({ name: "new" }) },
  searchCollections: { body: () => contains("name") },
  getCollection: { params: () => ({ id: ids.collection! }) },
  replaceCollection: { params: () => ({ id: ids.collection! }), body: () => ({ name: "changed" }) },
  deleteCollection: { params: () => ({ id: ids.collection! }) },
  startJob: { body: () => ({ jobId: ids.job }) },
  stopExecution: { body: () => ({ jobExecutionId: ids.execution }) },
  pauseExecution: { body: () => ({ jobExecutionId: ids.execution }) },
  resumeExecution: { body: () => ({ jobExecutionId: ids.execution }) },
  restartExecution: { body: () => ({ jobExecutionId: ids.execution }) },
  decideExecution: {},
  answerExecution: { body: () => ({ jobExecutionId: ids.execution, approve: true }) },
  createApprovalLinks: { params: () => ({ id: ids.execution! }), body: () => ({}) },
  showApproval: { params: () => ({ token: "A".repeat(43) }) },
  submitApproval: { params: () => ({ token: "A".repeat(43) }), body: () => ({}) },
  bulkControl: { body: () => ({ action: "PAUSE", filter: {}, dryRun: true }) },
  watchExecution: { params: () => ({ id: ids.execution! }) },
  watchExecutions: {},
  drain: {},
  summariseJobs: { body: () => ({ jobIds: [ids.job] }) },
  getTimeline: {},
  listApprovals: {},
  readEngine: {},
  readVault: {},
  rotateVault: {},
  rewrapVault: {},
  searchAudit: { body: () => contains("action") },
  verifyAudit: { body: () => ({ expected: { seq: 1, hash: "0".repeat(64) } }) },
  searchExecutions: { body: () => contains("jobName") },
  getExecution: { params: () => ({ id: ids.execution! }) },
  getLastExecution: { params: () => ({ jobId: ids.job! }) },
  listExecutions: { params: () => ({ jobId: ids.job! }), body: () => ({}) },
  getExecutionSummary: { params: () => ({ jobId: ids.job! }) },
  getStepExecution: { params: () => ({ id: ids.execution!, step: "one" }) },
  getExecutionLogs: { params: () => ({ id: ids.execution! }) },
  listSignInMethods: {},
  beginOidcSignIn: {},
  finishOidcSignIn: {},
  signIn: { body: () => ({ token: "pawl_x" }) },
  signOut: {},
  upsertConnection: { body: connection },
  testConnectionInput: { body: connection },
  testConnection: { params: () => ({ id: ids.connection! }) },
  listConnectionTypes: {},
  listConnectionOptions: {},
  searchConnections: { body: () => contains("name") },
  checkConnectionIdentity: { body: () => ({ name: "c", connectionType: "ftp" }) },
  deleteConnections: { body: () => ({ ids: [ids.connection] }) },
  decryptConnectionValue: { body: () => ({ encryptedValue: "ENC(x)" }) },
  getDecryptedConnection: { params: () => ({ connectionId: ids.connection! }) },
  getConnectionByName: { params: () => ({ connectionName: "c" }) },
  listConnectionsByType: { params: () => ({ connectionType: "ftp" }) },
  listConnectionsByCategory: { params: () => ({ category: "protocol" }) },
  deleteConnection: { params: () => ({ id: ids.connection! }) },
  getConnection: { params: () => ({ id: ids.connection! }) },
  getConnectionUsage: { params: () => ({ id: ids.connection! }) },
  connectionExists: { params: () => ({ name: "c" }) },
  upsertVariable: { body: variable },
  listVariableOptions: {},
  searchVariables: { body: () => contains("name") },
  deleteVariables: { body: () => ({ ids: [ids.variable] }) },
  decryptVariables: { body: () => ({ names: ["v"] }) },
  getVariableByName: { params: () => ({ name: "v" }) },
  deleteVariable: { params: () => ({ id: ids.variable! }) },
  getVariable: { params: () => ({ id: ids.variable! }) },
  getVariableUsage: { params: () => ({ id: ids.variable! }) },
  variableExists: { params: () => ({ name: "v" }) },
  upsertCertificate: { body: certificate },
  listCertificateOptions: {},
  searchCertificates: { body: () => contains("name") },
  deleteCertificates: { body: () => ({ ids: [ids.certificate] }) },
  getDecryptedCertificate: { params: () => ({ certificateId: ids.certificate! }) },
  getCertificateByName: { params: () => ({ certificateName: "c" }) },
  deleteCertificate: { params: () => ({ id: ids.certificate! }) },
  getCertificate: { params: () => ({ id: ids.certificate! }) },
  getCertificateUsage: { params: () => ({ id: ids.certificate! }) },
  certificateExists: { params: () => ({ name: "c" }) },
  upsertDataset: { body: dataset },
  uploadDataset: { query: { name: "new" }, body: () => "name\nx\n", headers: text },
  listDatasetOptions: {},
  searchDatasets: { body: () => contains("name") },
  deleteDatasets: { body: () => ({ ids: [ids.dataset] }) },
  getDatasetByName: { params: () => ({ datasetName: "d" }) },
  deleteDataset: { params: () => ({ id: ids.dataset! }) },
  getDataset: { params: () => ({ id: ids.dataset! }) },
  searchDatasetRows: { params: () => ({ id: ids.dataset! }), body: () => contains("name") },
  appendDatasetRows: { params: () => ({ id: ids.dataset! }), body: () => ({ rows: [{ name: "x", n: 1 }] }) },
  exportDataset: { params: () => ({ id: ids.dataset! }) },
  getDatasetUsage: { params: () => ({ id: ids.dataset! }) },
  datasetExists: { params: () => ({ name: "d" }) },
  uploadFile: { query: { name: "new" }, body: () => "x", headers: text },
  listFileOptions: {},
  searchFiles: { body: () => contains("name") },
  deleteFiles: { body: () => ({ ids: [ids.file] }) },
  getFileByName: { params: () => ({ fileName: "f" }) },
  deleteFile: { params: () => ({ id: ids.file! }) },
  getFile: { params: () => ({ id: ids.file! }) },
  downloadFile: { params: () => ({ id: ids.file! }) },
  getFileUsage: { params: () => ({ id: ids.file! }) },
  fileExists: { params: () => ({ name: "f" }) },
  upsertApiTemplate: { body: template },
  listApiTemplateOptions: {},
  searchApiTemplates: { body: () => contains("name") },
  deleteApiTemplates: { body: () => ({ ids: [ids.template] }) },
  getApiTemplateByName: { params: () => ({ templateName: "t" }) },
  deleteApiTemplate: { params: () => ({ id: ids.template! }) },
  getApiTemplate: { params: () => ({ id: ids.template! }) },
  getApiTemplateUsage: { params: () => ({ id: ids.template! }) },
  apiTemplateExists: { params: () => ({ name: "t" }) },
  whoAmI: {},
  createPrincipal: { body: () => ({ name: "new", authorities: ["A:B:c"], jobs: {} }) },
  listPrincipals: {},
  getPrincipal: { params: () => ({ id: ids.principal! }) },
  replacePrincipal: {
    params: () => ({ id: ids.principal! }),
    body: () => ({ name: "new", authorities: [], jobs: {} }),
  },
  deletePrincipal: { params: () => ({ id: ids.principal! }) },
  createToken: { body: () => ({ principalId: ids.principal, name: "new" }) },
  listTokens: {},
  revokeToken: { params: () => ({ id: ids.token! }) },
  registerMcpServer: { body: () => ({ ...mcpServer(), name: "new" }) },
  searchMcpServers: { body: () => contains("name") },
  getMcpServer: { params: () => ({ id: ids.mcpServer! }) },
  replaceMcpServer: { params: () => ({ id: ids.mcpServer! }), body: mcpServer },
  deleteMcpServer: { params: () => ({ id: ids.mcpServer! }) },
  listMcpServerTools: { params: () => ({ id: ids.mcpServer! }) },
  getMcpServerUsage: { params: () => ({ id: ids.mcpServer! }) },
  discoverMcpServer: { params: () => ({ id: ids.mcpServer! }) },
  watchMcpServerDiscovery: { params: () => ({ id: ids.mcpServer! }) },
  mcpBridgeHealth: {},
  createMcpSession: { body: () => ({ token: "none", resource: "https://pawl.example/mcp" }) },
};

const filters = (value: unknown, field = "name", matchMode = "equals") => ({
  filters: { [field]: { operator: "and", constraints: [{ value, matchMode }] } },
});
const deepYaml = `name: x\nsteps: ${"[".repeat(5000)}${"]".repeat(5000)}`;
const laughs = `a: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefghij"]
  .map((name, i) => `${name}: &${name} [${Array(9).fill(`*${"abcdefghi"[i]}`)}]`)
  .join("\n")}`;
const yaml = { "content-type": "application/yaml" };

/** Faults that a definition can have beyond its shape. They hold wherever a definition is sent. */
const definitions: Row[] = [
  ["keys that are the same", { body: steps(set("a"), set("a")) }, invalid("/steps/1/key")],
  [
    "a type that is not there",
    { body: steps({ key: "a", type: "htpp" }) },
    { ...invalid("/steps/0/type"), message: /Did you mean "http"/ },
  ],
  [
    "an input that does not fit its type",
    { body: steps({ key: "a", type: "log", input: { level: "loud" } }) },
    invalid("/steps/0/input/level", "/steps/0/input/message"),
  ],
  [
    "a field that the type does not have",
    { body: steps({ key: "a", type: "set", input: { values: {}, vaules: {} } }) },
    invalid("/steps/0/input/vaules"),
  ],
  [
    "a reference to a later step",
    { body: steps(set("a", { x: "{{ steps.b.output }}" }), set("b")) },
    invalid("/steps/0/input/values/x"),
  ],
  [
    "a reference to itself",
    { body: steps(set("a", { "a/b": "{{ steps.a.output }}" })) },
    invalid("/steps/0/input/values/a~1b"),
  ],
  [
    "an expression that is none",
    { body: steps(set("a", { x: "{{ 1 + }}" })) },
    invalid("/steps/0/input/values/x"),
  ],
  [
    "an expression that does not end",
    { body: steps(set("a", { x: "{{ 1" })) },
    invalid("/steps/0/input/values/x"),
  ],
  ["a condition that is none", { body: steps({ ...set("a"), when: "1 + 1" }) }, invalid("/steps/0/when")],
  [
    "JavaScript where CEL is taken",
    { body: steps({ ...set("a"), when: "process.exit()" }) },
    invalid("/steps/0/when"),
  ],
  [
    "matches() in a condition",
    { body: steps({ ...set("a"), when: "'a'.matches('(a+)+$')" }) },
    invalid("/steps/0/when"),
  ],
  [
    "JSONata that is none",
    { body: steps({ key: "a", type: "transform", input: { expression: "$sum(" } }) },
    invalid("/steps/0/input/expression"),
  ],
  [
    "JavaScript that is none",
    { body: steps({ key: "a", type: "script", input: { source: "let = ;" } }) },
    invalid("/steps/0/input/source"),
  ],
  [
    "a URL that is none",
    { body: steps({ key: "a", type: "http", input: { url: "file:///etc/passwd" } }) },
    invalid("/steps/0/input/url"),
  ],
  [
    "a header that splits the request",
    {
      body: steps({
        key: "a",
        type: "http",
        input: { url: "http://a.example", headers: { "x-a": "b\r\nx-c: d" } },
      }),
    },
    invalid("/steps/0/input/headers/x-a"),
  ],
  ["a wait of no time", { body: steps({ key: "a", type: "wait", input: {} }) }, invalid("/steps/0/input")],
  [
    "parameters that are no schema",
    { body: job({ parameters: { type: "object", properties: { a: { type: "strin" } } } }) },
    invalid("/parameters/properties/a/type"),
  ],
  [
    "a pattern that is none",
    { body: job({ parameters: { properties: { a: { type: "string", pattern: "(" } } } }) },
    invalid(),
  ],
  ["a reference that leads nowhere", { body: job({ parameters: { $ref: "#/nowhere" } }) }, invalid()],
  [
    "a reference to elsewhere",
    { body: job({ parameters: { properties: { a: { $ref: "http://127.0.0.1/x" } } } }) },
    invalid(),
  ],
  [
    "a default that does not fit",
    { body: job({ parameters: { properties: { a: { type: "integer", default: "x" } } } }) },
    invalid("/parameters/properties/a/default"),
  ],
  ["the same tag twice", { body: job({ tags: ["a", "a"] }) }, invalid("/tags")],
  ["a step that is another job's", { body: steps({ ...set("a"), id: newId() }) }, invalid("/steps/0/id")],
  ["six thousand expressions", { body: steps(set("a", { x: "{{ 1 }}".repeat(6000) })) }, invalid("/steps")],
];
const ofSteps = faultsOf((routes.createJob.body as Schema).properties!.steps!.items!, ["steps", "0"]).map(
  (fault): Row => [
    `a step: ${fault.at.at(-1)} ${fault.what}`,
    { body: withFault(job(), fault) },
    invalid(pointerTo(fault.at)),
  ],
);

/** Faults of a search; `text` is a field of it that holds text. */
const searches = (text: string): Row[] => [
  [
    "an unknown field",
    { body: filters("x", text.slice(0, -1)) },
    { ...invalid(`/filters/${text.slice(0, -1)}`), message: new RegExp(`Did you mean "${text}"`) },
  ],
  [
    "an injection for a field",
    { body: filters("x", "name; drop table job") },
    invalid("/filters/name; drop table job"),
  ],
  ["a prototype's field", { body: filters("x", "toString") }, invalid("/filters/toString")],
  ["a field to sort by that is none", { body: { sortBy: "id desc --" } }, invalid("/sortBy")],
  ["a list to sort by", { body: { sortBy: "tags" } }, invalid("/sortBy")],
  ["gt of a text", { body: filters("x", text, "gt") }, invalid(`/filters/${text}/constraints/0/matchMode`)],
  ["equals of a list", { body: filters(["x"], text) }, invalid(`/filters/${text}/constraints/0/value`)],
  [
    "equals of an object",
    { body: filters({ $ne: 1 }, text) },
    invalid(`/filters/${text}/constraints/0/value`),
  ],
  ["in without a list", { body: filters("x", text, "in") }, invalid(`/filters/${text}/constraints/0/value`)],
  ["an id that is none", { body: filters("x", "id") }, invalid("/filters/id/constraints/0/value")],
  [
    "an unknown mode",
    { body: filters("x", text, "regex") },
    invalid(`/filters/${text}/constraints/0/matchMode`),
  ],
  [
    "no constraint",
    { body: { filters: { [text]: { operator: "and", constraints: [] } } } },
    invalid(`/filters/${text}/constraints`),
  ],
  [
    "an unknown operator",
    { body: { filters: { [text]: { operator: "xor", constraints: [{ value: 1, matchMode: "equals" }] } } } },
    invalid(`/filters/${text}/operator`),
  ],
  ["a filter that is a list", { body: { filters: [] } }, invalid("/filters")],
  ["a group that is a text", { body: { filters: { [text]: "x" } } }, invalid(`/filters/${text}`)],
  ["too much text", { body: { searchText: "x".repeat(257) } }, invalid("/searchText")],
];

/** Faults of an MCP server beyond its shape. */
const mcpServers: Row[] = [
  ["a name of blanks", { body: { ...mcpServer(), name: " " } }, invalid("/name")],
  ["a URL of a file", { body: { ...mcpServer(), url: "file:///etc/passwd" } }, invalid("/url")],
  ["a URL with a password", { body: { ...mcpServer(), url: "http://a:b@mcp.example" } }, invalid("/url")],
  [
    "a type of credential that is none",
    { body: { ...mcpServer(), authType: "OAUTH" } },
    invalid("/authType"),
  ],
  [
    "a credential that is no text",
    { body: { ...mcpServer(), authConfig: { token: [1] } } },
    invalid("/authConfig/token"),
  ],
  [
    "a field of another type",
    { body: { ...mcpServer(), authConfig: { token: "x", apiKey: "y" } } },
    invalid("/authConfig/apiKey"),
  ],
  [
    "a header that splits the request",
    { body: { ...mcpServer(), authConfig: { token: "a\r\nb: c" } } },
    invalid("/authConfig/token"),
  ],
  ["the same tag twice", { body: { ...mcpServer(), tags: ["a", "a"] } }, invalid("/tags")],
];

/** What is particular to a route. What holds for all of them follows from the route table, further below. */
const rows: Record<RouteName, Row[]> = {
  live: [],
  ready: [],
  createJob: [
    ...definitions,
    ...ofSteps,
    ["a name that is taken", { body: job({ name: "there" }) }, { code: "CONFLICT", message: /"there"/ }],
    ["a collection that is not there", { body: job({ collectionId: newId() }) }, invalid("/collectionId")],
    ["YAML", { body: "name: x", headers: yaml }, { code: "UNSUPPORTED_MEDIA_TYPE" }],
  ],
  searchJobs: [
    ...searches("name"),
    [
      "between of one",
      { body: filters([1], "version", "between") },
      invalid("/filters/version/constraints/0/value"),
    ],
    [
      "a date that is none",
      { body: filters("yesterday", "createdAt", "gt") },
      invalid("/filters/createdAt/constraints/0/value"),
    ],
    [
      "a number that is text",
      { body: filters("1 or 1=1", "version") },
      invalid("/filters/version/constraints/0/value"),
    ],
  ],
  importJob: [
    ...definitions.filter(([, { body }]) => !JSON.stringify(body).includes('"id"')),
    [
      "a name that is taken, when that is to fail",
      { body: job({ name: "there" }), query: "onExisting=fail" },
      { code: "CONFLICT" },
    ],
    ["YAML that is none", { body: "a: [", headers: yaml }, malformed],
    ["YAML with a tab", { body: "a:\n\t- b", headers: yaml }, malformed],
    [
      "YAML with a tag of a language",
      { body: "name: !!js/function 'function () {}'", headers: yaml },
      malformed,
    ],
    ["YAML with two documents", { body: "name: a\n---\nname: b", headers: yaml }, malformed],
    ["a billion laughs", { body: laughs, headers: yaml }, malformed],
    ["an alias that holds itself", { body: "name: &a [*a]", headers: yaml }, malformed],
    ["YAML that is deeply nested", { body: deepYaml, headers: yaml }, malformed],
    [
      "YAML nested deeper than 64",
      { body: `name: x\nsteps: ${"[".repeat(70)}${"]".repeat(70)}`, headers: yaml },
      invalid(),
    ],
    ["YAML that is a text", { body: "just text", headers: yaml }, invalid("")],
    ["YAML that is a list", { body: "- a\n- b", headers: yaml }, invalid("")],
    ["YAML that is nothing", { body: "# nothing", headers: yaml }, invalid("")],
    ["empty YAML", { body: "", headers: yaml }, invalid("/name", "/steps")],
    ["YAML with a key twice", { body: "name: a\nname: b\nsteps: []", headers: yaml }, invalid("")],
    ["YAML with a key that is a map", { body: "? {a: 1}\n: b", headers: yaml }, invalid("")],
    [
      "YAML with a prototype's key",
      { body: "name: x\n__proto__: {a: 1}\nsteps: []", headers: yaml },
      invalid("/__proto__"),
    ],
    [
      "YAML with a number that is none",
      { body: "name: x\ntimeoutMs: .nan\nsteps: []", headers: yaml },
      invalid("/timeoutMs"),
    ],
    [
      "YAML with an integer that loses digits",
      { body: "name: x\ntimeoutMs: 12345678901234567890\nsteps: []", headers: yaml },
      invalid("/timeoutMs"),
    ],
    ["YAML with a NUL", { body: 'name: "\\0"\nsteps: []', headers: yaml }, invalid("/name")],
    [
      "YAML with faults of a job",
      { body: "name: x\nsteps:\n  - { key: a, type: nope }", headers: yaml },
      invalid("/steps/0/type"),
    ],
    ["too much YAML", { body: `# ${"x".repeat(300_000)}`, headers: yaml }, { code: "PAYLOAD_TOO_LARGE" }],
    ["YAML that is not UTF-8", { body: Buffer.from([0x61, 0x3a, 0x20, 0xff]), headers: yaml }, malformed],
  ],
  checkJob: [
    ...definitions.filter(([, { body }]) => !JSON.stringify(body).includes('"id"')),
    ["YAML that is none", { body: "a: [", headers: yaml }, malformed],
    [
      "YAML with faults of a job",
      { body: "name: x\nsteps:\n  - { key: a, type: nope }", headers: yaml },
      invalid("/steps/0/type"),
    ],
  ],
  getJob: [],
  replaceJob: [
    ...definitions,
    ...ofSteps,
    [
      "a version that is passed",
      { body: job({ name: "there" }), query: "expectedVersion=7" },
      { code: "CONFLICT", message: /at version 1/ },
    ],
  ],
  deleteJob: [],
  listJobVersions: [],
  getJobVersion: [["a version that is not there", { id: "2147483647" }, missing]],
  restoreJobVersion: [["a version that is not there", { id: "2147483647" }, missing]],
  exportJob: [],
  listStepTypes: [],
  searchAll: searches("name"),
  getStep: [],
  searchSteps: searches("name"),
  createCollection: [
    ["a name that is taken", { body: { name: "another" } }, { code: "CONFLICT", message: /"another"/ }],
  ],
  searchCollections: searches("name"),
  getCollection: [],
  replaceCollection: [["a name that is taken", { body: { name: "another" } }, { code: "CONFLICT" }]],
  deleteCollection: [
    ["a target that is no id", { query: "moveTo=away" }, invalid("query/moveTo")],
    ["a target that is not there", { query: `moveTo=${newId()}` }, invalid("query/moveTo")],
  ],
  startJob: [
    [
      "an empty key",
      { body: { jobId: newId() }, headers: { "idempotency-key": "" } },
      invalid("headers/idempotency-key"),
    ],
    [
      "a key that is too long",
      { body: { jobId: newId() }, headers: { "idempotency-key": "x".repeat(256) } },
      invalid("headers/idempotency-key"),
    ],
    ["a job that is not there", { body: { jobId: newId() } }, missing],
  ],
  stopExecution: [
    ["one that is not there", { body: { jobExecutionId: newId() } }, missing],
    ["one that has ended", {}, { code: "INVALID_STATE", message: /COMPLETED.*Nothing more can be done/ }],
  ],
  pauseExecution: [
    ["one that is not there", { body: { jobExecutionId: newId() } }, missing],
    ["one that has ended", {}, { code: "INVALID_STATE", message: /COMPLETED/ }],
    [
      "a time that is none",
      { body: { jobExecutionId: newId(), resumeAt: "tomorrow" } },
      invalid("/resumeAt"),
    ],
    [
      "a time that has passed",
      { body: { jobExecutionId: newId(), resumeAt: "2020-01-01T00:00:00Z" } },
      invalid("/resumeAt"),
    ],
  ],
  resumeExecution: [
    ["one that is not there", { body: { jobExecutionId: newId() } }, missing],
    ["one that has ended", {}, { code: "INVALID_STATE", message: /COMPLETED/ }],
  ],
  restartExecution: [
    ["one that is not there", { body: { jobExecutionId: newId() } }, missing],
    ["one that completed", {}, { code: "INVALID_STATE", message: /COMPLETED/ }],
  ],
  decideExecution: [
    ["nothing", {}, invalid("query/jobExecutionId", "query/approve")],
    ["neither yes nor no", { query: `jobExecutionId=${newId()}&approve=yes` }, invalid("query/approve")],
    ["an id that is none", { query: "jobExecutionId=x&approve=true" }, invalid("query/jobExecutionId")],
    ["one that is not there", { query: `jobExecutionId=${newId()}&approve=true` }, missing],
    [
      "a prefetch",
      { query: `jobExecutionId=${newId()}&approve=true`, headers: { "sec-purpose": "prefetch;prerender" } },
      invalid("headers/sec-purpose"),
    ],
    [
      "a prefetch of old",
      { query: `jobExecutionId=${newId()}&approve=true`, headers: { purpose: "prefetch" } },
      invalid("headers/purpose"),
    ],
  ],
  answerExecution: [
    ["one that is not there", { body: { jobExecutionId: newId(), approve: true } }, missing],
    ["one that has ended", {}, { code: "INVALID_STATE", message: /COMPLETED/ }],
  ],
  createApprovalLinks: [
    ["one that has ended", {}, { code: "INVALID_STATE", message: /waits for no decision/ }],
  ],
  showApproval: [["a token that is not there", {}, missing]],
  submitApproval: [["a token that is not there", {}, missing]],
  bulkControl: [
    [
      "an unknown field",
      { body: { action: "STOP", filter: filters("x", "jobNam") } },
      { ...invalid("/filter/filters/jobNam"), message: /Did you mean "jobName"/ },
    ],
    [
      "a status that is none",
      { body: { action: "STOP", filter: filters("DONE", "status") } },
      invalid("/filter/filters/status/constraints/0/value"),
    ],
  ],
  watchExecution: [["one that is not there", { id: newId() }, missing]],
  watchExecutions: [],
  drain: [],
  summariseJobs: [
    ["no jobs", { body: { jobIds: [] } }, invalid("/jobIds")],
    ["an id that is none", { body: { jobIds: ["x"] } }, invalid("/jobIds/0")],
  ],
  getTimeline: [
    [
      "an end before its beginning",
      { query: "from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z" },
      invalid("query/from"),
    ],
    ["a time that is none", { query: "from=yesterday" }, invalid("query/from")],
    ["too many stretches", { query: "buckets=401" }, invalid("query/buckets")],
    ["a job that is not there", { query: `jobId=${newId()}` }, missing],
  ],
  listApprovals: [],
  readEngine: [],
  readVault: [],
  rotateVault: [],
  rewrapVault: [],
  searchAudit: searches("action"),
  verifyAudit: [
    ["a head without its hash", { body: { expected: { seq: 1 } } }, invalid("/expected/hash")],
    ["a hash that is none", { body: { expected: { seq: 1, hash: "x" } } }, invalid("/expected/hash")],
  ],
  searchExecutions: searches("jobName"),
  getExecution: [["an attempt that is not there", { query: "run=2" }, missing]],
  getLastExecution: [],
  listExecutions: [],
  getExecutionSummary: [],
  getStepExecution: [["an attempt that is not there", { query: "run=2" }, missing]],
  getExecutionLogs: [["a step that is not there", { query: "step=x" }, missing]],
  listSignInMethods: [],
  beginOidcSignIn: [
    ["where no provider is configured", {}, { code: "NOT_FOUND", message: /PAWL_OIDC_CLIENT_ID/ }],
  ],
  finishOidcSignIn: [
    ["where no provider is configured", {}, { code: "NOT_FOUND", message: /PAWL_OIDC_CLIENT_ID/ }],
  ],
  signIn: [
    ["neither token nor code", { body: {} }, invalid("")],
    ["both token and code", { body: { token: "pawl_x", code: "x" } }, invalid("")],
    ["a token that is none", { body: { token: "pawl_x" } }, { code: "UNAUTHENTICATED" }],
    ["a code that is none", { body: { code: "x" } }, { code: "UNAUTHENTICATED" }],
  ],
  signOut: [],
  // What is wrong with variables and secrets: src/configuration/connection/*.test.ts.
  upsertConnection: [
    ["an id that is not there", { body: { ...connection(), id: newId() } }, missing],
    [
      "a version that is passed",
      { query: "expectedVersion=7" },
      { code: "CONFLICT", message: /at version 1/ },
    ],
    ["no variables", { body: { name: "c", connectionType: "ftp" } }, invalid("/variables/host")],
    [
      "a made up secret",
      { body: { ...connection(), variables: { host: "h", password: "ENC(x)" } } },
      { code: "DECRYPT_FAILED" },
    ],
  ],
  testConnectionInput: [
    ["an id that is not there", { body: { ...api(), id: newId() } }, missing],
    ["no variables", { body: { ...api(), variables: {} } }, invalid("/variables/baseUrl")],
    ["a type that can't be tested yet", {}, { code: "INVALID_STATE" }],
  ],
  testConnection: [["a type that can't be tested yet", {}, { code: "INVALID_STATE" }]],
  listConnectionTypes: [],
  listConnectionOptions: [["a type that is none", { query: "type=ftpp" }, invalid("query/type/0")]],
  searchConnections: searches("name"),
  checkConnectionIdentity: [],
  deleteConnections: [],
  decryptConnectionValue: [["what is not sealed", {}, { code: "DECRYPT_FAILED" }]],
  getDecryptedConnection: [],
  getConnectionByName: [["a name that is not there", { id: "nobody" }, missing]],
  listConnectionsByType: [["a type that is none", { id: "ftpp" }, invalid("params/connectionType")]],
  listConnectionsByCategory: [],
  deleteConnection: [],
  getConnection: [],
  getConnectionUsage: [],
  connectionExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  upsertVariable: [
    ["an id that is not there", { body: { ...variable(), id: newId() } }, missing],
    ["a name that no expression can say", { body: { ...variable(), name: "in" } }, invalid("/name")],
    ["a secret that is no text", { body: { ...variable(), secret: true } }, invalid("/value")],
    ["a made up secret", { body: { ...variable(), value: "ENC(x)" } }, { code: "DECRYPT_FAILED" }],
  ],
  listVariableOptions: [],
  searchVariables: searches("name"),
  deleteVariables: [],
  decryptVariables: [],
  getVariableByName: [["a name that is not there", { id: "nobody" }, missing]],
  deleteVariable: [],
  getVariable: [],
  getVariableUsage: [],
  variableExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  // What is wrong with certificates, tables, files and templates themselves: the tests beside each.
  upsertCertificate: [
    ["an id that is not there", { body: { ...certificate(), id: newId() } }, missing],
    ["a version that is passed", { query: "expectedVersion=7" }, { code: "CONFLICT" }],
    ["a text that is no certificate", { body: { name: "c", certificate: "x" } }, invalid("/certificate")],
    [
      "the key of another",
      { body: { ...certificate(), privateKey: makeCertificate({ subject: "b" }).privateKey } },
      invalid("/privateKey"),
    ],
    ["a passphrase of no key", { body: { ...certificate(), passphrase: "x" } }, invalid("/passphrase")],
  ],
  listCertificateOptions: [],
  searchCertificates: [
    ...searches("name"),
    ["a key to filter by", { body: filters("x", "sealed") }, invalid("/filters/sealed")],
    ["a chain to sort by", { body: { sortBy: "certificate" } }, invalid("/sortBy")],
  ],
  deleteCertificates: [],
  getDecryptedCertificate: [],
  getCertificateByName: [["a name that is not there", { id: "nobody" }, missing]],
  deleteCertificate: [],
  getCertificate: [],
  getCertificateUsage: [],
  certificateExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  upsertDataset: [
    ["an id that is not there", { body: { ...dataset(), id: newId() } }, missing],
    ["a version that is passed", { query: "expectedVersion=7" }, { code: "CONFLICT" }],
    ["no columns for a new one", { body: { name: "new" } }, invalid("/columns")],
    [
      "a column that no row can have",
      { body: { name: "new", columns: [{ name: "constructor", type: "string" }] } },
      invalid("/columns/0/name"),
    ],
    ["other columns", { body: { ...dataset(), columns: columns.slice(1) } }, invalid("/columns")],
  ],
  uploadDataset: [
    ["a column of no type", { query: "column=name" }, invalid("query/column/0")],
    ["a column that is not there", { query: "column=x:string" }, invalid("query/column")],
    ["two columns of one name", { body: "a,a\n1,2\n" }, invalid("/columns/1")],
    ["JSON where the type says so", { headers: { "content-type": "application/json" } }, malformed],
    ["a type that is not taken", { headers: { "content-type": "text/html" } }, unsupported],
    ["a name that is taken", { query: "name=d&onExisting=fail" }, { code: "CONFLICT" }],
    ["a version that is passed", { query: "name=d&expectedVersion=7" }, { code: "CONFLICT" }],
  ],
  listDatasetOptions: [],
  searchDatasets: searches("name"),
  deleteDatasets: [],
  getDatasetByName: [["a name that is not there", { id: "nobody" }, missing]],
  deleteDataset: [],
  getDataset: [],
  searchDatasetRows: [
    ...searches("name").filter(([what]) => what !== "an id that is none"),
    ["a text for a number", { body: filters("1", "n") }, invalid("/filters/n/constraints/0/value")],
  ],
  appendDatasetRows: [
    ["a cell of another type", { body: { rows: [{ n: "x" }] } }, invalid("/rows/0/n")],
    ["a cell that is a list", { body: { rows: [{ n: [1] }] } }, invalid("/rows/0/n")],
    ["a column that is not there", { body: { rows: [{}, { no: 1 }] } }, invalid("/rows/1/no")],
  ],
  exportDataset: [],
  getDatasetUsage: [],
  datasetExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  uploadFile: [
    ["a type that is none", { headers: { "content-type": "text" } }, unsupported],
    ["a digest that is none", { headers: { "content-md5": "x" } }, invalid("headers/content-md5")],
    ["a name that is taken", { query: "name=f&onExisting=fail" }, { code: "CONFLICT" }],
    ["a version that is passed", { query: "name=f&expectedVersion=7" }, { code: "CONFLICT" }],
  ],
  listFileOptions: [],
  searchFiles: [
    ...searches("name"),
    ["bytes to filter by", { body: filters("x", "bytes") }, invalid("/filters/bytes")],
  ],
  deleteFiles: [],
  getFileByName: [["a name that is not there", { id: "nobody" }, missing]],
  deleteFile: [],
  getFile: [],
  downloadFile: [],
  getFileUsage: [],
  fileExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  upsertApiTemplate: [
    ["an id that is not there", { body: { ...template(), id: newId() } }, missing],
    ["a version that is passed", { query: "expectedVersion=7" }, { code: "CONFLICT" }],
    ["a host to fill in", { body: { ...template(), connectionType: null } }, invalid("/path")],
    [
      "credentials",
      { body: { ...template(), headers: { Authorization: "Bearer x" } } },
      invalid("/headers/Authorization"),
    ],
  ],
  listApiTemplateOptions: [],
  searchApiTemplates: [
    ...searches("name"),
    ["a body to filter by", { body: filters("x", "definition") }, invalid("/filters/definition")],
  ],
  deleteApiTemplates: [],
  getApiTemplateByName: [["a name that is not there", { id: "nobody" }, missing]],
  deleteApiTemplate: [],
  getApiTemplate: [],
  getApiTemplateUsage: [],
  apiTemplateExists: [["an id that is none", { query: "id=1" }, invalid("query/id")]],
  whoAmI: [],
  createPrincipal: [
    [
      "a name that is taken",
      { body: { name: "admin", authorities: [] } },
      { code: "CONFLICT", message: /admin/ },
    ],
    [
      "an authority of two parts",
      { body: { name: "x", authorities: ["JobService:Job"] } },
      invalid("/authorities/0"),
    ],
    [
      "an id that is none",
      { body: { name: "x", authorities: [], jobs: { ids: ["x"] } } },
      invalid("/jobs/ids/0"),
    ],
  ],
  listPrincipals: [],
  getPrincipal: [],
  replacePrincipal: [
    ["a name that is taken", { body: { name: "admin", authorities: [] } }, { code: "CONFLICT" }],
  ],
  deletePrincipal: [],
  createToken: [
    ["a principal that is not there", { body: { principalId: newId(), name: "x" } }, missing],
    [
      "one for MCP without scopes",
      { body: { principalId: newId(), name: "x", for: "mcp" } },
      invalid("/scopes"),
    ],
    [
      "one for MCP with a scope that is none",
      { body: { principalId: newId(), name: "x", for: "mcp", scopes: ["jobs:write"] } },
      invalid("/scopes/0"),
    ],
    [
      "one for the API with scopes",
      { body: { principalId: newId(), name: "x", scopes: ["jobs:read"] } },
      invalid("/scopes"),
    ],
  ],
  listTokens: [],
  revokeToken: [],
  registerMcpServer: [
    ...mcpServers,
    [
      "a name that is taken",
      { body: { ...mcpServer(), name: "S" } },
      { code: "CONFLICT", message: /There is an MCP server named "s"/ },
    ],
    [
      "a credential that is left out",
      { body: { ...mcpServer(), name: "x", authConfig: {} } },
      invalid("/authConfig/token"),
    ],
    [
      "a mask with nothing behind it",
      { body: { ...mcpServer(), name: "x", authConfig: { token: "********" } } },
      invalid("/authConfig/token"),
    ],
  ],
  searchMcpServers: searches("name"),
  getMcpServer: [],
  replaceMcpServer: [
    ...mcpServers,
    [
      "a name that is taken",
      { body: { ...mcpServer(), name: "ANOTHER" } },
      { code: "CONFLICT", message: /"another"/ },
    ],
    [
      "another origin for the credential that is there",
      { body: { name: "s", url: "https://evil.example/mcp" } },
      { code: "SECRET_REENTRY_REQUIRED", paths: ["/authConfig/token"] },
    ],
  ],
  deleteMcpServer: [["force that is no bool", { query: "force=2" }, invalid("query/force")]],
  getMcpServerUsage: [],
  listMcpServerTools: [["a page of none", { query: "size=0" }, invalid("query/size")]],
  discoverMcpServer: [],
  watchMcpServerDiscovery: [["one that is not there", { id: newId() }, missing]],
  mcpBridgeHealth: [],
  createMcpSession: [
    ["an address that is none", { body: { token: "none", resource: "/mcp" } }, invalid("/resource")],
  ],
};

function pathOf(name: RouteName, params: Record<string, string>): string {
  return routes[name].path.replace(/:([A-Za-z]+)/g, (_, param: string) => params[param]!);
}

async function ask(name: RouteName, { body, query, headers = {}, id }: Row[1]): Promise<Received> {
  const { params, body: fitting, query: needed = {}, headers: usual } = valid[name];
  const given = params?.() ?? {};
  const last = Object.keys(given).at(-1)!;
  const path = pathOf(name, id === undefined ? given : { ...given, [last]: id });
  const sent = body === undefined ? fitting?.() : body;
  const isSent = (field: string) => query?.split("&").some((part) => part.startsWith(`${field}=`));
  const rest = Object.entries(needed).flatMap(([field, value]) => (isSent(field) ? [] : `${field}=${value}`));
  const all = [...rest, ...(query === undefined ? [] : [query])];
  return pawl.send({
    method: routes[name].method,
    path: all.length === 0 ? path : `${path}?${all.join("&")}`,
    headers: { ...usual, ...headers },
    body: (typeof sent === "string" || Buffer.isBuffer(sent) || sent === undefined
      ? sent
      : JSON.stringify(sent)) as Raw["body"],
  });
}

function check(
  what: string,
  { status, json, text }: Received,
  { code, paths = [], message }: Expected,
): void {
  const shown = `${what}: ${status} ${text.slice(0, 600)}`;
  assert.equal(json?.error?.code, code, shown);
  assert.ok(text.length < 100_000, what);
  if (message) assert.match(text.replaceAll('\\"', '"'), message, shown);
  if (code === "VALIDATION_FAILED" && paths !== nowhere) assert.ok(json.error.details?.length > 0, shown);
  const named = (json.error.details ?? []).map((detail: { path: string }) => detail.path);
  for (const path of paths) assert.ok(named.includes(path), `${path} is not named. ${shown}`);
}

const table = Object.entries(routes) as [RouteName, Route][];
const names = Object.keys(routes).sort();

test("every route has its rows, and a valid request to spoil", () => {
  assert.deepEqual(Object.keys(rows).sort(), names);
  assert.deepEqual(Object.keys(valid).sort(), names);
});

const bodies: [string, string | Buffer, Expected][] = [
  ["no JSON", "{", malformed],
  ["JSON with a comma too many", '{"a":1,}', malformed],
  ["two values", "{}{}", malformed],
  ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), malformed],
  ["NaN", '{"a":NaN}', malformed],
  ["a raw line break in a text", '{"a":"\n"}', malformed],
  ["null", "null", invalid()],
  ["a list", "[{}]", invalid()],
  ["a text", '"x"', invalid()],
  ["a number", "1", invalid()],
  ["an escaped NUL", '{"a":"\\u0000"}', invalid("/a")],
  ["half a surrogate pair", '{"a":["\\ud800"]}', invalid("/a/0")],
  ["a key with half a surrogate pair", '{"\\udc00":1}', invalid("")],
  ["__proto__", '{"__proto__":{"polluted":true}}', invalid("/__proto__")],
  ["constructor, further down", '{"a":{"constructor":{"prototype":1}}}', invalid("/a/constructor")],
  ["a number beyond a double", '{"a":1e400}', invalid("/a")],
  ["an integer that loses digits", '{"a":9007199254740993}', invalid("/a")],
  ["65 levels", `${'{"a":'.repeat(65)}1${"}".repeat(65)}`, invalid()],
  ["a hundred thousand levels", "[".repeat(100_000) + "]".repeat(100_000), invalid()],
  [
    "fifty thousand unknown fields",
    JSON.stringify(Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, 1]))),
    invalid("/k0"),
  ],
  ["more than a megabyte", `{"a":"${"x".repeat(1024 * 1024)}"}`, { code: "PAYLOAD_TOO_LARGE" }],
];
const types = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json; charset=utf-16",
  "application/xml",
];
const badIds = [
  ...[
    "abc",
    "1",
    "null",
    "undefined",
    "%27%20or%201%3D1",
    "%F0%9F%90%8E",
    "%E2%80%AEx",
    "%25",
    "_",
    "%5C",
    "x".repeat(1900),
  ],
  ...[
    "01890a5d-ac96-774b-bcce-b302099a805",
    "01890a5dac96774bbcceb302099a8057",
    "..%2F..%2Fetc%2Fpasswd",
    "%00",
    "__proto__",
  ],
];
const broken: [string, ErrorCode][] = [
  ["%zz", "VALIDATION_FAILED"],
  ["%ff", "VALIDATION_FAILED"],
  ["x".repeat(2100), "VALIDATION_FAILED"],
];

/** A name as people choose it: hardly a text is wrong. */
function isFreeText({ type, format, pattern, enum: values }: Schema): boolean {
  return type === "string" && format === undefined && pattern === undefined && values === undefined;
}

for (const [name, route] of table) {
  describe(`${name} (${route.method} ${route.path})`, () => {
    const params = Object.entries((route.params as Schema | undefined)?.properties ?? {});
    const query = Object.entries((route.query as Schema | undefined)?.properties ?? {});

    test("refuses what its rows say, with the code and the place", async () => {
      for (const [what, sent, expected] of rows[name]) check(what, await ask(name, sent), expected);
    });

    test("refuses ids that are none, and says of unknown ones that they are not there", async () => {
      for (const [param, schema] of params) {
        const given = valid[name].params!();
        const send = (id: string) =>
          pawl.send({
            method: route.method,
            path: pathOf(name, { ...given, [param]: id }),
            body: valid[name].body?.() as object,
          });
        const wrong = isFreeText(schema) ? ["%00", "x".repeat(1900)] : badIds;
        for (const id of wrong.filter((id) => schema.format === "uuid" || id !== "1")) {
          check(`${param} ${id.slice(0, 50)}`, await send(id), invalid(`params/${param}`));
        }
        for (const id of isFreeText(schema) ? badIds.filter((id) => !wrong.includes(id)) : []) {
          const { status, text } = await send(id);
          assert.ok([200, 404].includes(status), `${param} ${id}: ${text}`);
        }
        for (const [id, code] of broken)
          assert.equal((await send(id)).json.error.code, code, id.slice(0, 20));
        if (schema.format === "uuid") {
          for (const id of [
            newId(),
            "00000000-0000-0000-0000-000000000000",
            "ffffffff-ffff-ffff-ffff-ffffffffffff",
          ]) {
            check(id, await send(id), missing);
          }
        }
      }
    });

    test("refuses parameters of the query that are unknown, twice or out of range", async () => {
      const unknown = [
        "nope=1",
        "__proto__=1",
        "constructor[prototype]=1",
        "%00=1",
        "a%F0%9F%90%8E=",
        "pgae=1",
        "'=1",
      ];
      for (const query of unknown) {
        const path = `query/${decodeURIComponent(query.split("=")[0]!).replace("\0", "\u2400")}`;
        check(query, await ask(name, { query }), invalid(path));
      }
      for (const [param, schema] of query as [string, Schema][]) {
        const expected = invalid(`query/${param}`);
        const twice = schema.type === "array" ? invalid(`query/${param}/1`) : expected;
        check("twice", await ask(name, { query: `${param}=1&${param}=2` }), twice);
        check("NUL", await ask(name, { query: `${param}=%00` }), expected);
        if (schema.type === "integer") {
          const out = [
            schema.minimum! - 1,
            (schema.maximum ?? 1e15) + 1,
            "",
            "x",
            "1.5",
            "1e3",
            "0x10",
            " 1",
            "+1",
            "١",
            "9".repeat(400),
          ];
          for (const value of out)
            check(
              `${param}=${value}`,
              await ask(name, { query: `${param}=${encodeURIComponent(value)}` }),
              expected,
            );
        }
        if (schema.enum) check("unknown", await ask(name, { query: `${param}=nope` }), expected);
        if (schema.maxLength)
          check("long", await ask(name, { query: `${param}=${"x".repeat(schema.maxLength + 1)}` }), expected);
      }
    });

    if (route.body) {
      test("refuses bodies that are none, hostile or too large", async () => {
        for (const [what, body, expected] of bodies) check(what, await ask(name, { body }), expected);
        for (const type of types.filter((one) => !route.textBody?.includes(one))) {
          const sent = { body: "{}", headers: { "content-type": type } };
          check(type, await ask(name, sent), { code: "UNSUPPORTED_MEDIA_TYPE" });
        }
        const zipped = { body: "{}", headers: { "content-encoding": "gzip" } };
        check("gzip", await ask(name, zipped), { code: "UNSUPPORTED_MEDIA_TYPE" });
        const required = (route.body as Schema).required ?? [];
        if (required.length > 0)
          check("nothing", await ask(name, { body: "" }), invalid(...required.map((field) => `/${field}`)));
      });

      test("refuses each field when it is missing, of another type, out of range or unknown, and names it", async () => {
        const body = valid[name].body!();
        for (const fault of faultsOf(route.body as Schema)) {
          const what = `${pointerTo(fault.at)} ${fault.what}`;
          check(
            what,
            await ask(name, { body: JSON.stringify(withFault(body, fault)) }),
            invalid(pointerTo(fault.at)),
          );
        }
      });
    } else if (route.takesBytes) {
      test("refuses bytes that are packed", async () => {
        check("gzip", await ask(name, { headers: { "content-encoding": "gzip" } }), unsupported);
      });
    } else if (route.method !== "GET") {
      test("refuses a body", async () => {
        check("a field", await ask(name, { body: '{"a":1}' }), { code: "VALIDATION_FAILED", paths: nowhere });
        check("no JSON", await ask(name, { body: "{" }), malformed);
      });
    }
  });
}

describe("odd text that is right", () => {
  const odd = [
    ..."%_\\'\"`;$*?|<>&".split(""),
    ...[
      "100%",
      "a_b",
      "C:\\x\\",
      "it's",
      "'; drop table job; --",
      "$1",
      "{{ x }}",
      "\\u0041",
      "\\0",
      "null",
      "Ünïcode",
      "i̇",
    ],
    ...[
      "\u202egnp.exe",
      "مرحبا",
      "👩‍👩‍👧‍👦",
      "a\tb\nc",
      "\u0001\u001f\u007f",
      "\ufeff",
      "\u2028",
      " ",
      "é".repeat(200),
      "ﬀ",
      "𝒳",
    ],
  ];

  test("is kept to the letter in every field, found again by itself, and taken for no pattern", async () => {
    const there = new Map<string, string>();
    for (const [n, text] of odd.entries()) {
      const name = text.trim() === text ? text : `${n}${text}`;
      const body = {
        name,
        description: text,
        category: text.slice(0, 100),
        tags: [text.slice(0, 100)],
        steps: [{ ...set("a", { text: "x" }), name: text, description: text }],
      };
      const { status, json } = await pawl.send({ method: "POST", path: "/jobs", body });
      assert.equal(status, 201, `${JSON.stringify(text)} ${JSON.stringify(json)}`);
      const { data } = await pawl.client.getJob({ params: { id: json.data.id } });
      assert.deepEqual(
        [data.name, data.description, data.category, data.tags],
        [name, text, body.category, body.tags],
      );
      assert.deepEqual([data.steps[0]!.name, data.steps[0]!.description], [text, text]);
      there.set(json.data.id, name);
      const yaml = await pawl.client.exportJob({ params: { id: data.id } });
      const again = await pawl.client.importJob({ text: { type: "application/yaml", content: yaml.data } });
      assert.deepEqual(
        [again.status, again.data.version, again.data.name],
        [200, 1, name],
        "what is exported is what was written",
      );
    }
    for (const [id, name] of there) {
      const exactly = await pawl.client.searchJobs({ body: { ...filters(name), size: 1000 } as never });
      assert.deepEqual(
        exactly.data.map((job) => job.id),
        [id],
        JSON.stringify(name),
      );
      for (const mode of ["contains", "startsWith", "endsWith"] as const) {
        const { data } = await pawl.client.searchJobs({
          body: { ...filters(name, "name", mode), size: 1000 } as never,
        });
        const holds = { contains: "includes", startsWith: "startsWith", endsWith: "endsWith" } as const;
        const found = data.map((job) => job.id);
        assert.ok(found.includes(id), `${mode} ${JSON.stringify(name)}`);
        for (const job of data) {
          const has = job.name.toLowerCase()[holds[mode]](name.toLowerCase());
          assert.ok(has, `${JSON.stringify(job.name)} ${mode} ${JSON.stringify(name)}`);
        }
      }
    }
  });

  test("names principals and tokens, and comes back", async () => {
    for (const text of odd) {
      const name = `p ${text}`.slice(0, 100);
      const { data } = await pawl.client.createPrincipal({
        body: { name, authorities: [], jobs: { tags: [text.slice(0, 100)] } },
      });
      assert.deepEqual([data.name, data.jobs], [name, { tags: [text.slice(0, 100)] }]);
      const token = await pawl.client.createToken({
        body: { principalId: data.id, name: text.slice(0, 100) },
      });
      assert.deepEqual([token.data.name, token.data.principalName], [text.slice(0, 100), name]);
      const { json } = await pawl.send({ method: "GET", path: "/me", token: token.data.token });
      assert.equal(json.data.name, name);
    }
  });

  test("leaves nothing behind on the server's objects", () => {
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
