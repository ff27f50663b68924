import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { assistantOf } from "../bridge/client.ts";
import { startFixture } from "./fixture.ts";
import { failuresOf, type Revision, requiredOf, runSuite, withToken } from "./suite.ts";

const asksAgain =
  "asks its client in the middle of a call, which needs a session; the bridge has none in the older revisions";
const tasks = "of the tasks extension, which the bridge does not offer";

/** What the HTTP stack does not pass, and why that is so. One that passes must leave this list. */
const baseline: Record<Revision, Record<string, string>> = {
  "2025-11-25": {
    "tools-call-sampling": asksAgain,
    "tools-call-elicitation": asksAgain,
    "elicitation-sep1034-defaults": asksAgain,
    "elicitation-sep1330-enums": asksAgain,
  },
  "2026-07-28": {
    "tasks-capability-negotiation": tasks,
    "tasks-dispatch-and-envelope": tasks,
    "tasks-lifecycle": tasks,
    "tasks-mrtr-composition": tasks,
    "tasks-mrtr-input": tasks,
    "tasks-request-headers": tasks,
    "tasks-request-state-removal": tasks,
    "tasks-required-task-error": tasks,
    "tasks-wire-fields": tasks,
  },
};

describe("the bridge's HTTP stack, with the tools of the suite", { concurrency: 2 }, () => {
  let fixture: Awaited<ReturnType<typeof startFixture>>;
  before(async () => {
    fixture = await startFixture();
  });
  after(() => fixture.close());

  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    test(`passes what is required for ${revision}`, async () => {
      const findings = await runSuite(fixture.url, revision);
      const missing = requiredOf(revision).filter((name) => !findings.has(name));
      assert.deepEqual(missing, [], "every required scenario ran");
      const failed = [...findings].flatMap(([name, checks]) => {
        const ids = failuresOf(checks);
        return ids.length > 0 ? [[name, ids] as const] : [];
      });
      const unknown = failed.filter(([name]) => !(name in baseline[revision]));
      assert.deepEqual(unknown, []);
      assert.deepEqual(failed.map(([name]) => name).sort(), Object.keys(baseline[revision]).sort());
    });
  }
});

/** Scenarios that need no tools, resources or prompts but those that a server happens to have. */
const ofProtocol: Record<Revision, string[]> = {
  "2025-11-25": [
    "server-initialize",
    "ping",
    "tools-list",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
  ],
  "2026-07-28": [
    "tools-list",
    "dns-rebinding-protection",
    "http-header-validation",
    "server-sse-multiple-streams",
    "sep-2164-resource-not-found",
    "input-required-result-unsupported-methods",
    "input-required-result-ignore-extra-params",
    "input-required-result-missing-input-response",
    "input-required-result-validate-input",
  ],
};

/** Of server-stateless, what can be shown with the tools of the fixture only. */
const needTools = [
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-missing-capability-http-400",
  "sep-2575-server-no-log-without-loglevel",
  "sep-2575-server-rejects-undeclared-capability",
];

describe("the bridge itself, with its nine tools", { concurrency: 2 }, () => {
  let pawl: RunningPawl;
  let bridge: Awaited<ReturnType<typeof withToken>>;
  before(async () => {
    pawl = await startTestPawl();
    const { mcpToken } = await assistantOf(pawl);
    bridge = await withToken(pawl.url, mcpToken);
  });
  after(async () => {
    await bridge.close();
    await pawl.close();
  });

  for (const revision of ["2025-11-25", "2026-07-28"] as const) {
    test(`passes the scenarios of ${revision} that are about the protocol`, async () => {
      const findings = await runSuite(bridge.url, revision);
      for (const name of ofProtocol[revision]) {
        assert.deepEqual(failuresOf(findings.get(name) ?? []), [], name);
        assert.ok(
          findings.get(name)?.some(({ status }) => status !== "SKIPPED"),
          `${name} ran`,
        );
      }
      if (revision === "2026-07-28") {
        assert.deepEqual(failuresOf(findings.get("server-stateless")!).sort(), needTools);
      }
    });
  }
});
