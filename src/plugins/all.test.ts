import assert from "node:assert/strict";
import { test } from "node:test";
import { Compile } from "typebox/compile";
import { noResources } from "../../test/helpers/no-sources.ts";
import { runStep } from "../../test/helpers/step.ts";
import { createDialer } from "../lib/dialer.ts";
import { stepTypes } from "./all.ts";
import { log } from "./log/log.ts";
import { createSandbox } from "./sandbox/pool.ts";
import { set } from "./set/set.ts";

const types = stepTypes({
  dialer: createDialer({ policy: "guarded", ownPorts: () => [] }),
  sandbox: createSandbox(),
  resources: noResources(),
  registry: { findServer: async () => undefined, version: "" },
});

test("offers its step types", () => {
  assert.deepEqual(types.map(({ name }) => name).sort(), [
    "ai-agent",
    "approval",
    "dataset",
    "file",
    "http",
    "job",
    "log",
    "mcp-tool",
    "script",
    "set",
    "sql",
    "transform",
    "wait",
  ]);
});

for (const type of types) {
  test(`describes ${type.name} well enough for a form, and refuses unknown fields`, () => {
    const input = JSON.parse(JSON.stringify(type.input)) as {
      additionalProperties: boolean;
      properties: Record<string, { title?: string }>;
    };
    assert.equal(input.additionalProperties, false);
    assert.ok(type.title && type.description);
    for (const [name, field] of Object.entries(input.properties))
      assert.ok(field.title, `${name} has no title`);
    for (const name of type.verbatim ?? []) assert.ok(input.properties[name], name);
    assert.equal(Compile(type.input).Check({ nonsense: 1 }), false);
  });
}

test("keeps values under their names", async () => {
  const values = { a: 1, b: { c: [null] } };
  assert.deepEqual(await runStep(set, { input: { values } }), values);
});

test("writes a line to the step's log, and what is not text as JSON", async () => {
  const lines: string[] = [];
  const write = (level: string, message: string) => lines.push(`${level} ${message}`);
  assert.deepEqual(await runStep(log, { input: { message: "hello" }, log: write }), { message: "hello" });
  await runStep(log, { input: { message: { a: 1 }, level: "warn" }, log: write });
  assert.deepEqual(lines, ["info hello", 'warn {"a":1}']);
});
