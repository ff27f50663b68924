import type { Step } from "@contract/job.ts";
import { formatDuration } from "../../components/time-format.ts";

const text = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);

/** What a step does, in a line. */
export function summaryOf({ type, input = {} }: Pick<Step, "type" | "input">): string {
  switch (type) {
    case "http":
      return `${text(input.method ?? "GET")} ${text(input.url ?? input.path)}`;
    case "wait":
      return input.until ? `until ${text(input.until)}` : `for ${waitOf(input)}`;
    case "log":
    case "approval":
      return text(input.message);
    case "set":
      return Object.keys((input.values as object | undefined) ?? {}).join(", ");
    case "transform":
      return text(input.expression);
    case "script":
      return text(input.source);
    default:
      return Object.entries(input)
        .map(([name, value]) => `${name}: ${text(value)}`)
        .join(" · ");
  }
}

function waitOf({ duration, durationMs }: Record<string, unknown>): string {
  return typeof durationMs === "number" ? formatDuration(durationMs) : text(duration ?? durationMs);
}

/** What is particular about how a step runs. */
export function conditionsOf({
  retry,
  timeoutMs,
  onError,
}: Pick<Step, "retry" | "timeoutMs" | "onError">): string[] {
  const said: string[] = [];
  if (retry && retry.maxAttempts > 1) said.push(`up to ${retry.maxAttempts} tries`);
  if (timeoutMs !== undefined) said.push(`at most ${formatDuration(timeoutMs)}`);
  if (onError === "continue") said.push("goes on when it fails");
  return said;
}
