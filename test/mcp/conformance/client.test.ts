import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { failuresOf, type Revision, runClient } from "./suite.ts";

/**
 * Scenarios of what our clients do. Those about signing in (credentials are stored, nobody is asked) and about questions of the server (our
 * clients declare that they take none) are left out: there is nothing of ours to look at.
 */
const scenarios: ["validator" | "session", string, Revision][] = [
  ["validator", "initialize", "2025-11-25"],
  ["session", "initialize", "2025-11-25"],
  ["session", "tools_call", "2025-11-25"],
  ["session", "sse-retry", "2025-11-25"],
  ["session", "tools_call", "2026-07-28"],
  ["session", "request-metadata", "2026-07-28"],
  ["session", "http-standard-headers", "2026-07-28"],
  ["session", "http-custom-headers", "2026-07-28"],
  ["session", "http-invalid-tool-headers", "2026-07-28"],
  ["session", "json-schema-ref-no-deref", "2026-07-28"],
  ["session", "json-schema-2020-12-preservation", "2026-07-28"],
];

describe("the official suite's servers", { concurrency: 2 }, () => {
  for (const [which, scenario, revision] of scenarios) {
    const what = which === "validator" ? "the registry's validator" : "the client that steps call tools with";
    test(`find nothing wrong with ${what}: ${scenario}, ${revision}`, async () => {
      const checks = await runClient(which, scenario, revision);
      assert.deepEqual(failuresOf(checks), [], JSON.stringify(checks, null, 1).slice(0, 3000));
      assert.ok(
        checks.some(({ status }) => status === "SUCCESS"),
        "something was looked at",
      );
    });
  }
});
