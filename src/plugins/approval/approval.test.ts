import assert from "node:assert/strict";
import { test } from "node:test";
import { AskedForDecision } from "../plugin.ts";
import { approval } from "./approval.ts";

const context = (input: Record<string, unknown>) =>
  ({ input }) as unknown as Parameters<typeof approval.run>[0];

test("asks for a decision, by default without a deadline", async () => {
  const asked = await approval.run(context({ message: "Ship it?" }));
  assert.ok(asked instanceof AskedForDecision);
  assert.equal(asked.decision.message, "Ship it?");
  assert.equal(asked.decision.deadline, undefined);
});

test("turns a deadline into a moment, at which it is rejected unless the step says otherwise", async () => {
  const before = Date.now();
  const asked = (await approval.run(context({ message: "?", deadline: "2h" }))) as AskedForDecision;
  assert.ok(asked.decision.deadline! >= before + 7_200_000);
  assert.equal(asked.decision.onDeadline, "reject");
});

test("finds at save a deadline that is no duration, an outcome without one, and a form that is no schema", async () => {
  const faults = await approval.check!({ message: "?", deadline: "soon", form: { type: "objekt" } });
  assert.deepEqual(faults.map(({ path }) => path).sort(), ["/deadline", "/form/type"]);
  assert.equal((await approval.check!({ message: "?", onDeadline: "fail" }))[0]!.path, "/onDeadline");
});
