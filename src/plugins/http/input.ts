import Type, { type Static } from "typebox";
import { headerFault } from "../../lib/header-fault.ts";
import type { InputFault } from "../plugin.ts";

const MIB = 1024 * 1024;
const Scalar = Type.Union([Type.String(), Type.Number(), Type.Boolean()]);

export const HttpInput = Type.Object(
  {
    apiTemplate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: "API template",
        description:
          "Name or id of a request that is kept for many steps: it gives method, path and body. No expression.",
      }),
    ),
    apiParams: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        title: "Parameters of the template",
        description: "What the template asks for, by name.",
      }),
    ),
    method: Type.Optional(
      Type.Enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"], {
        title: "Method",
        default: "GET",
      }),
    ),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 8_192,
        title: "URL",
        description:
          "Absolute, http or https. A user and password in it are sent as Basic authorization. The connection's credentials go along to its own origin only.",
      }),
    ),
    path: Type.Optional(
      Type.String({
        maxLength: 8_192,
        title: "Path",
        description: "Below the base URL of the connection, with a query if there is one. Instead of url.",
      }),
    ),
    headers: Type.Optional(
      Type.Record(Type.String(), Scalar, {
        title: "Headers",
        description:
          "On a redirect to another origin only harmless ones (accept, content-type and the like) go along.",
      }),
    ),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar), Type.Null()]), {
        title: "Query parameters",
        description: "Added to those in the URL. A list repeats its name; null leaves it out.",
      }),
    ),
    json: Type.Optional(Type.Unknown({ title: "Body as JSON", description: "Any value." })),
    text: Type.Optional(Type.String({ title: "Body as text", description: "Sent as it is, in UTF-8." })),
    form: Type.Optional(
      Type.Record(Type.String(), Type.Union([Scalar, Type.Array(Scalar)]), {
        title: "Body as a form",
        description: "Sent as application/x-www-form-urlencoded.",
      }),
    ),
    binary: Type.Optional(Type.String({ title: "Body as bytes", description: "In base64." })),
    certificate: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: "Client certificate",
        description:
          "Name or id of a certificate with its private key, shown to the server (mutual TLS). Only to the first origin. No expression.",
      }),
    ),
    trust: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        title: "Trusted authorities",
        description:
          "Name or id of a certificate: servers are trusted that it has signed, instead of those that the world trusts. No expression.",
      }),
    ),
    responseType: Type.Optional(
      Type.Enum(["auto", "json", "text", "binary"], {
        title: "Response type",
        description: "auto goes by the content type. binary gives the body in base64.",
        default: "auto",
      }),
    ),
    maxResponseBytes: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 16 * MIB,
        default: MIB,
        title: "Largest response (bytes)",
        description:
          "After decompression. A longer one fails the step. The limit on a step's output still applies to it.",
      }),
    ),
    followRedirects: Type.Optional(
      Type.Boolean({
        title: "Follow redirects",
        description: "Otherwise they are the answer.",
        default: true,
      }),
    ),
    maxRedirects: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10, default: 5, title: "Redirects at most" }),
    ),
    failOnStatus: Type.Optional(
      Type.Boolean({
        title: "Fail on 4xx and 5xx",
        description: "Otherwise they are an answer like any other.",
        default: true,
      }),
    ),
  },
  { additionalProperties: false, description: "At most one of json, text, form and binary." },
);
export type HttpInput = Static<typeof HttpInput>;

export const HttpOutput = Type.Object({
  status: Type.Integer({ description: "The HTTP status." }),
  headers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]), {
    description: "By lower-case name; set-cookie is a list.",
  }),
  body: Type.Unknown({ description: "Parsed JSON, text, or base64; null when it is empty." }),
  url: Type.String({ description: "Where the answer came from, after redirects; secrets in it are hidden." }),
  durationMs: Type.Integer({ description: "From the request to the last byte of the answer." }),
});

/** What a template gives. Headers and query of a step come on top of its own. */
const OF_TEMPLATE = ["method", "url", "path", "json", "text", "form", "binary"] as const;
const BODIES = ["json", "text", "form", "binary"] as const;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** What the schema can't say. A string with a template in it is left for the run, when its value is known. */
export function inputFaults(input: Record<string, unknown>, { connected = false } = {}): InputFault[] {
  const faults: InputFault[] = [
    ...(input.apiTemplate === undefined ? addressFaults(input, connected) : templateFaults(input)),
    ...recordFaults(input),
  ];
  const bodies = BODIES.filter((name) => input[name] !== undefined);
  if (bodies.length > 1) {
    faults.push({
      path: `/${bodies[1]}`,
      message: `is a second body: give only one of ${bodies.join(", ")}.`,
    });
  }
  const { url, binary, headers } = input;
  if (typeof url === "string" && !url.includes("{{") && parseUrl(url) === undefined) {
    faults.push({
      path: "/url",
      message: "must be an absolute http or https URL, such as https://example.org/items.",
    });
  }
  if (typeof binary === "string" && !binary.includes("{{") && !BASE64.test(binary)) {
    faults.push({ path: "/binary", message: "must be base64." });
  }
  for (const [name, value] of Object.entries((headers ?? {}) as Record<string, unknown>)) {
    const path = `/headers/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const message = headerFault(name, value);
    if (message !== undefined) faults.push({ path, message });
  }
  return faults;
}

function templateFaults(input: Record<string, unknown>): InputFault[] {
  return OF_TEMPLATE.filter((name) => input[name] !== undefined).map((name) => ({
    path: `/${name}`,
    message: "is given by the API template.",
  }));
}

/** Records are looked for when the job is saved, and so is the right to use them. */
function recordFaults(input: Record<string, unknown>): InputFault[] {
  const faults = ["apiTemplate", "certificate", "trust"]
    .filter((name) => String(input[name] ?? "").includes("{{"))
    .map((name) => ({ path: `/${name}`, message: "must be a name or an id, not an expression." }));
  if (input.apiParams !== undefined && input.apiTemplate === undefined) {
    faults.push({ path: "/apiParams", message: "is for an apiTemplate, and there is none." });
  }
  return faults;
}

function addressFaults({ url, path }: Record<string, unknown>, connected: boolean): InputFault[] {
  if (url !== undefined && path !== undefined) {
    return [{ path: "/path", message: "is a second address: give only one of url and path." }];
  }
  if (path !== undefined && !connected) {
    return [
      { path: "/path", message: "needs a connection, whose base URL it is below. Without one give a url." },
    ];
  }
  if (url === undefined && path === undefined) {
    const message = connected
      ? "is required: give a path below the connection's base URL, or a url."
      : "is required: give an absolute http or https URL.";
    return [{ path: connected ? "/path" : "/url", message }];
  }
  return [];
}

export function parseUrl(text: string): URL | undefined {
  const url = URL.parse(text) ?? undefined;
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : undefined;
}
