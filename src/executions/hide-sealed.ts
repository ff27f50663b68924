import { MASK } from "../lib/masker.ts";
import { readSealed } from "../vault/sealed-text.ts";

/** Parameters as they are shown: what is sealed is secret. */
export function hideSealed<T>(value: T): T {
  return hidden(value) as T;
}

function hidden(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("ENC(") && readSealed(value) ? MASK : value;
  if (Array.isArray(value)) return value.map(hidden);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, hidden(item)]));
}
