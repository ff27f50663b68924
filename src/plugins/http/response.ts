import type { GuardedResponse } from "../../lib/dialer-request.ts";
import { StepError } from "../../lib/step-error.ts";

type ResponseType = "auto" | "json" | "text" | "binary";

// Deep enough for any document, and far from where JSON.stringify overflows the stack (about 5,000).
const MAX_DEPTH = 500;
// Of a longer one that the excerpt's end cuts a part may be left.
const LONGEST_SECRET = 64 * 1024;
const JSON_TYPE = /^(application|text)\/(json|[^;]+\+json)$/;
const TEXT_TYPE =
  /^(text\/.*|application\/(xml|javascript|x-www-form-urlencoded|yaml|x-yaml|graphql|.*\+xml|x-ndjson))$/;

/** The body as the step's output holds it. */
export function bodyOf(response: GuardedResponse, as: ResponseType, target: string): unknown {
  const { body } = response;
  const { mime, charset } = contentType(response);
  const type = as === "auto" ? typeOf(mime, body) : as;
  if (type === "binary") return body.toString("base64");
  if (type === "text") return as === "auto" && body.length === 0 ? null : decode(body, charset);
  return body.length === 0 ? null : parseJson(decode(body, charset), as, target);
}

/** The beginning of a body for an error message: one line, and nothing that is not text. */
export function excerpt(response: GuardedResponse, chars: number, mask: (text: string) => string): string {
  const { mime, charset } = contentType(response);
  if (typeOf(mime, response.body) === "binary") return "";
  // Masked before it is cut: half a secret is not found any more.
  const text = mask(decode(response.body.subarray(0, chars * 4 + LONGEST_SECRET), charset))
    .replace(/\s+/g, " ")
    .trim();
  return text.length > chars ? `${text.slice(0, chars).toWellFormed()}…` : text;
}

function typeOf(mime: string, body: Buffer): Exclude<ResponseType, "auto"> {
  if (JSON_TYPE.test(mime)) return "json";
  if (TEXT_TYPE.test(mime)) return "text";
  if (mime !== "") return "binary";
  return isText(body) ? "text" : "binary";
}

function contentType({ headers }: GuardedResponse): { mime: string; charset: string } {
  const value = String(headers["content-type"] ?? "");
  const mime = value.split(";")[0]!.trim().toLowerCase();
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(value)?.[1] ?? "utf-8";
  return { mime, charset };
}

function decode(body: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function isText(body: Buffer): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(body).includes("\0");
  } catch {
    return false;
  }
}

function parseJson(text: string, as: ResponseType, target: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const what = as === "json" ? "an answer that is not JSON" : "an answer that says it is JSON and is not";
    const message = `${target} gave ${what}: ${(cause as Error).message}. Set responseType to text to take it as it is.`;
    throw new StepError("RESPONSE_INVALID", message, { cause });
  }
  if (tooDeep(value)) {
    const message = `${target} gave JSON that is nested deeper than ${MAX_DEPTH} levels. Set responseType to text to take it as it is.`;
    throw new StepError("RESPONSE_INVALID", message, { retryable: false });
  }
  return value;
}

/** Level by level, without recursion. */
function tooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== "object" || value === null) continue;
      // A key that reaches the prototype of whatever a careless copy writes to; it is never data.
      if (Object.hasOwn(value, "__proto__")) Reflect.deleteProperty(value, "__proto__");
      for (const child of Object.values(value))
        if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}
