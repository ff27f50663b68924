import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Received } from "./running-pawl.ts";
import type { Json } from "./schema-arbitrary.ts";

export interface Operation {
  operationId: string;
  method: string;
  path: string;
  parameters: { name: string; in: "path" | "query" | "header"; required: boolean; schema: Json }[];
  /** As JSON. */
  body: Json | undefined;
  /** Media types of bodies that are bytes. */
  bytes: string[];
  responses: Record<string, { content: Record<string, { schema: Json; examples?: Json }>; headers: Json }>;
}

type RequestBody = { content: Record<string, { schema: Json }> };

const areBytes = ({ schema }: { schema: Json }) => schema.format === "binary";

function bodyOf(described: RequestBody | undefined): Json | undefined {
  const json = described?.content["application/json"];
  return json && !areBytes(json) ? json.schema : undefined;
}

function bytesOf(described: RequestBody | undefined): string[] {
  return Object.entries(described?.content ?? {}).flatMap(([type, one]) => (areBytes(one) ? type : []));
}

/** An OpenAPI document as tests use it: its operations, and whether an answer is one that it describes. */
export function describedApi(document: Json) {
  const components = (document.components as { schemas: Record<string, Json> }).schemas;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addSchema({ ...(closed(document) as Json), $id: "api:" });
  const compiled = new Map<string, ValidateFunction>();

  const operations: Operation[] = Object.entries(
    document.paths as Record<string, Record<string, Json>>,
  ).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      operationId: described.operationId as string,
      method: method.toUpperCase(),
      path,
      parameters: (described.parameters ?? []) as Operation["parameters"],
      body: bodyOf(described.requestBody as RequestBody | undefined),
      bytes: bytesOf(described.requestBody as RequestBody | undefined),
      responses: described.responses as Operation["responses"],
    })),
  );

  function validator({ path, method }: Operation, status: number, type: string): ValidateFunction {
    const place = [
      "paths",
      path,
      method.toLowerCase(),
      "responses",
      String(status),
      "content",
      type,
      "schema",
    ];
    const pointer = place
      .map((part) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1")))
      .join("/");
    const known = compiled.get(pointer) ?? ajv.compile({ $ref: `api:#/${pointer}` });
    compiled.set(pointer, known);
    return known;
  }

  /** Fails unless status, media type, headers, error code and every field of the body are in the document. */
  function check(operation: Operation, { status, headers, text, json }: Received): void {
    const shown = `${operation.operationId} ${status} ${text.slice(0, 1000)}`;
    assert.ok(status < 500, shown);
    const described = operation.responses[String(status)];
    assert.ok(described, `${shown}\nThe status is not in the document.`);
    assert.match(String(headers["x-request-id"]), /^[\w.-]{1,64}$/);
    assert.equal(headers["cache-control"], "no-store");
    if ("*/*" in described.content) {
      assert.match(String(headers["content-disposition"]), /^attachment; /, shown);
      assert.equal(headers["x-content-type-options"], "nosniff");
      return;
    }
    const [type, charset] = String(headers["content-type"]).split("; ");
    assert.ok(type! in described.content, `${shown}\n${type} is not in the document.`);
    assert.equal(charset, "charset=utf-8");
    const isText = type !== "application/json" || operation.operationId === "exportJob";
    const validate = validator(operation, status, type!);
    assert.ok(validate(isText && status < 400 ? text : json), `${shown}\n${JSON.stringify(validate.errors)}`);
    if (status < 400) return;
    assert.ok(
      json.error.code in described.content[type!]!.examples!,
      `${shown}\nThe code is not in the document.`,
    );
    assert.equal(json.error.requestId, headers["x-request-id"]);
    assert.match(json.message, /\S.*\S/s);
  }

  return { operations, components, check };
}

/** Objects whose fields are listed have no others: a field that the document does not mention is a fault of either. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== "object" || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if (copy.type === "object" && copy.properties && copy.additionalProperties === undefined)
    copy.additionalProperties = false;
  return copy;
}
