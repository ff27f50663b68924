import { isUtf8 } from "node:buffer";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { parseLimitedJson } from "../lib/json-limits.ts";
import { throwFaults } from "./validate.ts";

export const bodyLimit = 1024 * 1024;

const yamlTypes = ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"];
const formType = "application/x-www-form-urlencoded";

/** A body that came as text: told apart by its class, since JSON may be a string too. */
export class TextBody {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Replaces the framework's parsers: JSON within the limits for every route, text for the routes that take it. */
export function addBodyParsers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer", bodyLimit }, (request, body, done) => {
    try {
      done(null, parseJson(textOf(request, body as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser(
    [...yamlTypes, formType],
    { parseAs: "buffer", bodyLimit },
    (request, body, done) => {
      try {
        requireTextBody(request);
        done(null, new TextBody(textOf(request, body as Buffer)));
      } catch (error) {
        done(error as Error);
      }
    },
  );
}

function parseJson(text: string): unknown {
  // What an empty body means depends on the route.
  if (text === "") return undefined;
  const { value, faults } = parsed(text);
  throwFaults(faults);
  return value;
}

function parsed(text: string) {
  try {
    return parseLimitedJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ApiError("MALFORMED_JSON", `The body is not JSON: ${placeIn(text, error.message)}`);
  }
}

/** V8's words, with line and column when it names a position, and without the excerpt of the body that it may quote. */
function placeIn(text: string, message: string): string {
  const reason = message.replace(/,? ?("|\.\.\.).*$/s, "").replace(/ (in JSON )?at position.*$/s, "");
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position === undefined) return `${reason}.`;
  const before = text.slice(0, Number(position)).split("\n");
  return `${reason} at line ${before.length}, column ${before.at(-1)!.length + 1}.`;
}

function textOf(request: FastifyRequest, body: Buffer): string {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Send the body as it is, without Content-Encoding.");
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", "Send the body in UTF-8.");
  }
  if (!isUtf8(body)) throw new ApiError("MALFORMED_JSON", "The body is not valid UTF-8.");
  const text = body.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function requireTextBody(request: FastifyRequest): void {
  const taken: readonly string[] = request.routeOptions.config.pawl?.route.textBody ?? [];
  const isForm = request.headers["content-type"]?.toLowerCase().startsWith(formType) ?? false;
  if (isForm ? taken.includes(formType) : taken.some((type) => yamlTypes.includes(type))) return;
  throw new ApiError(
    "UNSUPPORTED_MEDIA_TYPE",
    "This request takes JSON: send it with Content-Type: application/json.",
  );
}
