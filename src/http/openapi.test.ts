import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { dummyApp } from "../../test/helpers/dummy-app.ts";
import { errorCatalogue } from "../contract/errors.ts";
import { type Route, routes } from "../contract/routes.ts";
import { errorCodesOf } from "./openapi.ts";

type Json = Record<string, unknown>;
type Operation = {
  operationId: string;
  security: unknown[];
  parameters?: { name: string; in: string; required: boolean }[];
  requestBody?: Json;
  responses: Record<
    string,
    { content: Record<string, { schema: Json; examples?: Record<string, Json> }>; headers: Json }
  >;
};

const { app } = await dummyApp();
const response = await app.inject("/openapi.json");
const document = response.json();
const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
  ([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const table: [string, Route][] = Object.entries(routes);

function* within(value: unknown): Generator<Json> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const child of Object.values(value)) yield* within(child);
}

test("is an OpenAPI 3.1 document that anyone may read", () => {
  assert.equal(response.statusCode, 200);
  assert.equal(document.openapi, "3.1.0");
  assert.equal(typeof document.info.title, "string");
  assert.equal(document.components.securitySchemes.bearer.scheme, "bearer");
});

test("has each route of the table, and no other", () => {
  const described = operations.map(
    ({ path, method, operation }) => `${operation.operationId} ${method} ${path}`,
  );
  const expected = table.map(
    ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path.replace(/:(\w+)/g, "{$1}")}`,
  );
  assert.deepEqual(described.sort(), expected.sort());
});

test("describes parameters, body, access and successes as the table does", () => {
  for (const [name, route] of table) {
    const { operation } = operations.find((entry) => entry.operation.operationId === name)!;
    const names = (kind: string) =>
      (operation.parameters ?? []).filter((p) => p.in === kind).map((p) => p.name);
    const inPath = [...route.path.matchAll(/:(\w+)/g)].map((match) => match[1]);
    assert.deepEqual(names("path").sort(), inPath.sort(), name);
    assert.ok((operation.parameters ?? []).every((p) => p.in !== "path" || p.required));
    const query = (route.query as { properties?: Json } | undefined)?.properties ?? {};
    assert.deepEqual(names("query").sort(), Object.keys(query).sort(), name);
    assert.equal(operation.requestBody !== undefined, Boolean(route.body ?? route.takesBytes), name);
    assert.equal(operation.security.length === 0, route.access === "public", name);
    const successes = [String(route.status ?? 200), ...Object.keys(route.alsoAnswers ?? {})].sort();
    assert.deepEqual(
      Object.keys(operation.responses).filter((status) => status < "400"),
      successes,
      name,
    );
  }
});

test("shows every failure of every route, with an example for each code", () => {
  for (const [name, route] of table) {
    const { operation } = operations.find((entry) => entry.operation.operationId === name)!;
    const shown: string[] = [];
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (status < "400") continue;
      for (const [code, { value }] of Object.entries(answer.content["application/json"]!.examples!)) {
        assert.equal(String(errorCatalogue[code as keyof typeof errorCatalogue].status), status);
        assert.equal((value as { error: { code: string } }).error.code, code);
        shown.push(code);
      }
      assert.equal("Retry-After" in answer.headers, ["429", "503"].includes(status));
      assert.equal("WWW-Authenticate" in answer.headers, status === "401");
    }
    assert.deepEqual(shown.sort(), errorCodesOf(route).sort(), name);
  }
});

test("has no reference that leads nowhere, and no part that nothing refers to but the whole", () => {
  const references = [...within(document)]
    .map((node) => node.$ref)
    .filter((ref) => ref !== undefined) as string[];
  assert.ok(references.length > 50);
  for (const ref of references) {
    const target = ref
      .slice(2)
      .split("/")
      .reduce((node: Json | undefined, key) => node?.[key] as Json, document);
    assert.ok(target, ref);
  }
  for (const name of Object.keys(document.components.schemas)) {
    assert.ok(references.includes(`#/components/schemas/${name}`), `${name} is used`);
  }
});

test("serves the reference page, which loads nothing from elsewhere", async () => {
  const page = await app.inject("/docs/");
  assert.equal(page.statusCode, 200);
  const policy = String(page.headers["content-security-policy"]);
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'self';/);
  const links = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
  assert.ok(links.length >= 5);
  for (const link of links) {
    assert.match(link, /^\.\/static\//);
    assert.equal((await app.inject(`/docs/${link}`)).statusCode, 200, link);
  }
  assert.deepEqual((await app.inject("/docs/json")).json(), document);
  for (const path of ["/docs/static/../../package.json", "/docs/static/%2e%2e/%2e%2e/package.json"]) {
    assert.ok((await app.inject(path)).statusCode >= 400, path);
  }
});

test("docs/errors.md lists the catalogue: every code, with its status and when it comes, and no other", () => {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| ([^|]+) \|/gm)].map((row) => row.slice(1, 4));
  const expected = Object.entries(errorCatalogue).map(([code, { status, when }]) => [
    code,
    String(status),
    when,
  ]);
  assert.deepEqual(rows, expected);
});
