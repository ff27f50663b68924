import * as z from "zod/v4";
import type { JobActionResponse } from "../../contract/control.ts";
import { action, executionId, reason } from "../shapes.ts";
import { clean } from "../text.ts";
import { tool } from "../tool.ts";

export const pauseRun = tool({
  name: "pause_run",
  title: "Pause a run",
  description:
    "Holds a run that is RUNNING: the step under way finishes, no further one begins until resume_run. Loses nothing.",
  scope: "jobs:control",
  subject: "run",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ executionId, reason: reason.optional() }),
  output: action("PAUSE"),
  async run({ executionId, reason }, { caller, signal }) {
    const body = { jobExecutionId: executionId, ...(reason === undefined ? {} : { reason }) };
    return answered("PAUSE", (await caller.platform.pauseExecution({ body, signal })).data);
  },
});

export const resumeRun = tool({
  name: "resume_run",
  title: "Resume a paused run",
  description:
    "Lets a run that was paused go on with its next step. One that waits for an approval is not resumed: a person decides that in Pawl.",
  scope: "jobs:control",
  subject: "run",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.strictObject({ executionId }),
  output: action("RESUME"),
  async run({ executionId }, { caller, signal }) {
    const body = { jobExecutionId: executionId };
    return answered("RESUME", (await caller.platform.resumeExecution({ body, signal })).data);
  },
});

export const stopRun = tool({
  name: "stop_run",
  title: "Stop a run for good",
  description:
    "Ends a run now: its step under way is aborted and no further one begins. It can't be taken back. Ask the user before; pass confirm: true once they have agreed.",
  scope: "jobs:control",
  subject: "run",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({
    executionId,
    reason: reason.optional(),
    confirm: z
      .boolean()
      .optional()
      .describe("Whether the user has agreed. Not needed where the client asks them itself."),
  }),
  output: action("STOP"),
  async run({ executionId, reason, confirm = false }, call) {
    const question = await call.deps.confirmStop(call, { executionId, confirmed: confirm });
    if (question) return question;
    const body = { jobExecutionId: executionId, ...(reason === undefined ? {} : { reason }) };
    const { platform } = call.caller;
    return answered("STOP", (await platform.stopExecution({ body, signal: call.signal })).data);
  },
});

function answered<A extends "PAUSE" | "RESUME" | "STOP">(
  action: A,
  { executionId, status, message, timestamp }: JobActionResponse,
) {
  return { executionId, action, status, message: clean(message, 2000), timestamp };
}
