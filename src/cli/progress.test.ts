import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { WriteStream } from "node:tty";
import type { JobExecution, StepExecution } from "../contract/execution.ts";
import { lineView, liveView } from "./progress.ts";

function step(stepKey: string, fields: Partial<StepExecution> = {}): StepExecution {
  return {
    id: stepKey,
    stepId: stepKey,
    stepKey,
    stepName: stepKey,
    type: "log",
    status: "PENDING",
    run: 1,
    startTime: null,
    endTime: null,
    durationMs: null,
    attempts: 0,
    tries: [],
    waitingUntil: null,
    childExecutionId: null,
    output: null,
    error: null,
    ...fields,
  };
}

function execution(stepExecutions: StepExecution[], fields: Partial<JobExecution> = {}): JobExecution {
  return {
    id: "e",
    jobId: "j",
    jobName: "orders",
    jobVersion: 1,
    workflowId: "w",
    status: "RUNNING",
    startTime: new Date().toISOString(),
    endTime: null,
    durationMs: null,
    triggeredBy: "manual",
    triggerSource: "cli",
    startedBy: "ana",
    client: null,
    parameters: {},
    error: null,
    run: 1,
    activeDurationMs: 0,
    pausedMs: 0,
    draining: false,
    resumeAt: null,
    waiting: null,
    waitingFor: null,
    attempts: [],
    actions: [],
    stepExecutions,
    ...fields,
  };
}

const done = { status: "COMPLETED", attempts: 1, durationMs: 1200 } as const;
const waiting = {
  status: "WAITING",
  attempts: 1,
  waitingUntil: new Date(Date.now() + 60_000).toISOString(),
  error: { code: "HTTP_503", message: "The server\nanswered 503\x1b[2J" },
} as const;

describe("progress in lines", () => {
  it("says each change once, in the order of the steps", () => {
    const lines: string[] = [];
    const view = lineView((line) => lines.push(line));
    const running = { status: "RUNNING", attempts: 1 } as const;
    view.show(execution([step("fetch", running), step("sum")]));
    view.show(execution([step("fetch", running), step("sum")]));
    view.show(execution([step("fetch", waiting), step("sum")]));
    view.show(execution([step("fetch", { ...done, attempts: 2 }), step("sum", { status: "SKIPPED" })]));
    view.close();
    assert.deepEqual(
      lines.map((line) => line.replace(/in \d+\.\d s|in 1 min/, "in SOME TIME")),
      [
        "fetch  RUNNING",
        "fetch  WAITING    tries again in SOME TIME, The server answered 503",
        "fetch  COMPLETED  1.2 s, 2 attempts",
        "sum    SKIPPED    its condition was false",
      ],
    );
  });

  it("repeats a remark only after news", () => {
    const lines: string[] = [];
    const view = lineView((line) => lines.push(line));
    view.say("No answer.");
    view.say("No answer.");
    view.show(execution([]));
    view.say("No answer.");
    assert.deepEqual(lines, ["No answer.", "No answer."]);
  });
});

/** Draws on a terminal of this size and answers what it would show at the end. */
function screenAfter(size: { columns: number; rows: number }, frames: JobExecution[]): string[] {
  let screen: string[] = [""];
  const stream = {
    isTTY: true,
    ...size,
    write(text: string) {
      const visible = text.replaceAll("\x1b", "␛");
      for (const piece of visible.match(/␛\[[?\d;]*[A-Za-z]|\r|[^␛\r]+/g) ?? []) {
        const up = /^␛\[(\d+)A$/.exec(piece);
        // The cursor is always at the start of the last line, so moving up n lines drops what the erasure drops.
        if (up) screen = [...screen.slice(0, -1 - Number(up[1])), ""];
        else if (!/^[␛\r]/.test(piece)) screen = (screen.join("\n") + piece).split("\n");
      }
      return true;
    },
  };
  const view = liveView(stream as unknown as WriteStream);
  for (const frame of frames) view.show(frame);
  view.close();
  return screen;
}

describe("progress on a terminal", () => {
  it("redraws in place: the last frame is all that stays", () => {
    const screen = screenAfter({ columns: 80, rows: 24 }, [
      execution([step("fetch", { status: "RUNNING", attempts: 1 }), step("sum")]),
      execution([step("fetch", waiting), step("sum")]),
      execution([step("fetch", done), step("sum", done)], { status: "COMPLETED", durationMs: 2500 }),
    ]);
    assert.deepEqual(screen, ["orders  COMPLETED  2.5 s", "  ✔ fetch  1.2 s", "  ✔ sum    1.2 s", ""]);
  });

  it("never lets a line wrap", () => {
    const screen = screenAfter({ columns: 30, rows: 24 }, [execution([step("fetch", waiting)])]);
    assert.ok(screen.every((line) => line.length < 30));
    assert.match(screen[1]!, /^ {2}◷ fetch {2}tries again/);
  });

  it("shows the steps around the one under way when there are more than rows", () => {
    const steps = Array.from({ length: 100 }, (_, i) => step(`s${i}`, i < 50 ? done : {}));
    const screen = screenAfter({ columns: 80, rows: 13 }, [execution(steps)]);
    assert.ok(screen.length <= 13);
    assert.ok(screen.some((line) => line.includes("s49")));
    assert.ok(screen.some((line) => line.includes("s50")));
    assert.match(screen.at(-2)!, /more steps/);
  });
});
