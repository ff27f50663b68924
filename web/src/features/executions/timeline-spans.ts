import type { ExecutionAction, StepExecution } from "@contract/execution.ts";

/** A stretch of a step's time: it worked, it tried in vain, or it waited. */
export interface Span {
  kind: "work" | "failed" | "wait";
  from: number;
  to: number;
}

/** Types that hand their time to somebody or something else. */
const waitingTypes = new Set(["wait", "approval", "job"]);

/** What a step did when; nothing before it began. */
export function spansOf(step: StepExecution, now: number): Span[] {
  if (step.startTime === null) return [];
  const begun = Date.parse(step.startTime);
  const end = step.endTime === null ? Math.max(now, begun) : Date.parse(step.endTime);
  const waits =
    (waitingTypes.has(step.type) && step.status !== "SKIPPED") ||
    (step.status === "WAITING" && step.tries.length === 0);
  if (step.tries.length === 0) return [{ kind: waits ? "wait" : "work", from: begun, to: end }];

  const spans: Span[] = [];
  for (const [i, one] of step.tries.entries()) {
    const last = i === step.tries.length - 1 && step.endTime !== null;
    spans.push({
      kind: last ? "work" : "failed",
      from: Date.parse(one.startTime),
      to: Date.parse(one.endTime),
    });
    const next = step.tries[i + 1];
    if (next) spans.push({ kind: "wait", from: Date.parse(one.endTime), to: Date.parse(next.startTime) });
  }
  if (step.endTime === null) {
    const kind = step.status === "WAITING" ? "wait" : "work";
    spans.push({ kind, from: spans.at(-1)!.to, to: Math.max(end, spans.at(-1)!.to) });
  }
  return spans;
}

/** When an attempt was held by hand. */
export function pausesOf(
  actions: ExecutionAction[],
  run: number,
  end: number,
): { from: number; to: number }[] {
  const pauses: { from: number; to: number }[] = [];
  let from: number | undefined;
  for (const { action, at, run: of } of actions) {
    if (of !== run) continue;
    if (action === "PAUSE") from ??= Date.parse(at);
    else if (from !== undefined) {
      pauses.push({ from, to: Date.parse(at) });
      from = undefined;
    }
  }
  if (from !== undefined) pauses.push({ from, to: Math.max(from, end) });
  return pauses;
}

const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200].map(
    (s) => s * 1000,
  ),
);
const dayMs = 86_400_000;

/** Round times at which the axis is marked: five at most, from the start on, none so late that its words have no room. */
export function ticksOf(length: number): number[] {
  const most = 5;
  const step = steps.find((ms) => length / ms <= most) ?? Math.ceil(length / most / dayMs) * dayMs;
  return Array.from({ length: most + 1 }, (_, i) => i * step).filter((at) => at === 0 || at < length * 0.84);
}
