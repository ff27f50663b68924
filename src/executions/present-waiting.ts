import type { Waiting } from "../contract/execution.ts";
import type { ExecutionDetail, LiveRow, ParkedStep } from "./rows.ts";

/** Whether the next try of a step is under way: one that waited for moments only runs on with its time still in the row. */
export function triesAgain({ parked, due_at, held }: LiveRow): boolean {
  return parked?.kind === "retry" && held === null && due_at !== null && due_at.getTime() <= Date.now();
}

/** Why nothing of an execution runs just now; null where it runs, is paused by hand, or is over. */
export function presentWaiting({ live, steps, limit }: ExecutionDetail): Waiting | null {
  if (!live || live.held === "pause" || triesAgain(live)) return null;
  if (live.waiting) {
    const allowed = limit === undefined ? "so many" : String(limit);
    const message = `It waits for a place: the job allows ${allowed} at a time. It begins when another has ended.`;
    return { reason: "place", message, until: null };
  }
  const { parked, position, due_at, held, act_at } = live;
  if (!parked || position === null) return null;
  const step = steps[position];
  const name = step?.name ?? step?.key ?? String(position);
  if (parked.kind === "decision" && held !== "decision") return null;
  // What is due has no time any more, and runs; only the end of a job is waited for without one.
  if (parked.kind !== "decision" && parked.kind !== "child" && due_at === null) return null;
  const until = parked.kind === "decision" ? act_at : due_at;
  return { ...wordsFor(parked, name), until: until?.toISOString() ?? null };
}

function wordsFor(parked: ParkedStep, name: string): Pick<Waiting, "reason" | "message"> {
  switch (parked.kind) {
    case "decision":
      return { reason: "decision", message: `Step '${name}' waits for a decision.` };
    case "retry":
      return { reason: "retry", message: `Step '${name}' waits for its next try.` };
    case "timer":
      return { reason: "time", message: `Step '${name}' waits for a time.` };
    case "child":
      return { reason: "job", message: `Step '${name}' waits for the job that it runs.` };
  }
}
