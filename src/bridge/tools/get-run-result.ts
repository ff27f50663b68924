import * as z from "zod/v4";
import type { StepExecution } from "../../contract/execution.ts";
import { ToolFault } from "../faults.ts";
import { cursorOf, mostBytes, placeOf, sizeOf } from "../pages.ts";
import { ended, failureOf, longestName, readRun } from "../run.ts";
import { cursor, executionId, failure, id, status } from "../shapes.ts";
import { clean, cleanJson } from "../text.ts";
import { reads, tool } from "../tool.ts";

/** Of the steps with an output, the one to go on with, and how much of its text was handed out. */
const Place = z.object({ step: z.number().int().min(0), offset: z.number().int().min(0) });

export const getRunResult = tool({
  name: "get_run_result",
  title: "Read what a finished run has made",
  description:
    "Answers the outputs of the steps of a run that has ended. What doesn't fit is cut: an output that is marked truncated is a piece of its JSON text, and nextCursor goes on with the rest.",
  scope: "jobs:read",
  subject: "run",
  annotations: reads,
  input: z.strictObject({
    executionId,
    stepIds: z.array(id("Id of a step, as get_run gives it.")).min(1).max(100).optional(),
    maxBytes: z
      .number()
      .int()
      .min(1024)
      .max(mostBytes)
      .default(32_768)
      .describe("Of outputs, in one answer."),
    cursor: cursor.optional(),
  }),
  output: z.object({
    status,
    outputs: z.array(
      z.object({
        stepId: z.string(),
        stepName: z.string(),
        output: z.unknown(),
        truncated: z.boolean(),
      }),
    ),
    nextCursor: z.string().optional(),
    failure: failure.optional(),
  }),
  async run({ executionId, stepIds, maxBytes, cursor }, { caller, signal }) {
    const run = await readRun(caller, executionId, signal);
    if (!ended.has(run.status)) {
      throw new ToolFault(
        "INVALID_STATE",
        `The run is ${run.status}: its outputs are complete once it has ended. get_run says how far it is.`,
        { retryable: true },
      );
    }
    const from = cursor === undefined ? { step: 0, offset: 0 } : placeOf(cursor, Place);
    const failure = failureOf(run.error, run.stepExecutions);
    const { outputs, next } = pieces(withOutput(run.stepExecutions, stepIds), from, maxBytes);
    return {
      status: run.status,
      outputs,
      ...(next ? { nextCursor: cursorOf(next) } : {}),
      ...(failure ? { failure } : {}),
    };
  },
});

function withOutput(steps: StepExecution[], ids: string[] | undefined): StepExecution[] {
  const unknown = ids?.find((wanted) => !steps.some(({ stepId }) => stepId === wanted));
  if (unknown !== undefined) {
    throw new ToolFault(
      "INVALID_PARAMETERS",
      `The run has no step ${unknown}. get_run lists those that it has.`,
    );
  }
  return steps.filter(({ stepId, status, output }) => {
    const has = output !== null && output !== undefined && (status === "COMPLETED" || status === "FAILED");
    return has && (ids?.includes(stepId) ?? true);
  });
}

// Around an output stand its names, and the answer has more besides.
const perOutput = 400;

/** Outputs from the place on, whole while they fit. One that fits no answer is handed out as its JSON text, piece by piece. */
function pieces(steps: StepExecution[], from: z.infer<typeof Place>, maxBytes: number) {
  const room = Math.min(maxBytes, mostBytes - 4096);
  const outputs: { stepId: string; stepName: string; output: unknown; truncated: boolean }[] = [];
  let used = 0;
  for (let i = from.step; i < steps.length; i++) {
    const { stepId, stepName, output } = steps[i]!;
    const named = { stepId, stepName: clean(stepName, longestName) };
    const shown = cleanJson(output);
    const offset = i === from.step ? from.offset : 0;
    const size = sizeOf(shown) + perOutput;
    if (offset === 0 && used + size <= room) {
      outputs.push({ ...named, output: shown, truncated: false });
      used += size;
      continue;
    }
    if (outputs.length > 0) return { outputs, next: { step: i, offset: 0 } };
    const text = JSON.stringify(shown);
    const piece = pieceOf(text, offset, room - perOutput);
    outputs.push({ ...named, output: piece, truncated: true });
    const end = offset + piece.length;
    if (end < text.length) return { outputs, next: { step: i, offset: end } };
    if (i + 1 < steps.length) return { outputs, next: { step: i + 1, offset: 0 } };
  }
  return { outputs, next: undefined };
}

/** As long a piece as fits when it is written as a JSON string; no character is cut in two. */
function pieceOf(text: string, offset: number, room: number): string {
  let piece = text.slice(offset, offset + room);
  while (piece.length > 1 && sizeOf(piece) > room) {
    piece = piece.slice(0, Math.max(1, Math.floor(piece.length * (room / sizeOf(piece)) * 0.98)));
  }
  const last = piece.charCodeAt(piece.length - 1);
  const cutInTwo = piece.length > 1 && last >= 0xd800 && last < 0xdc00;
  return cutInTwo ? piece.slice(0, -1) : piece;
}
