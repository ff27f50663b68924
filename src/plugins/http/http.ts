import type { Dialer, TlsIdentity } from "../../lib/dialer.ts";
import { type GuardedResponse, guardedRequest } from "../../lib/dialer-request.ts";
import { publicUrl } from "../../lib/public-url.ts";
import { restApi } from "../../lib/rest-api.ts";
import { StepError } from "../../lib/step-error.ts";
import { defineStepType } from "../plugin.ts";
import { type Asker, askerOf, type StepResources } from "../resources.ts";
import { HttpInput, HttpOutput, inputFaults, parseUrl } from "./input.ts";
import { bodyOf, excerpt } from "./response.ts";

const CHANGES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const WORTH_A_RETRY: ReadonlySet<number> = new Set([408, 425, 429]);
const EXCERPT_CHARS = 500;
const MAX_RETRY_AFTER_MS = 86_400_000;

export function http(dialer: Dialer, resources: StepResources) {
  return defineStepType({
    name: "http",
    title: "HTTP request",
    description: "Sends a request over HTTP and gives the answer.",
    input: HttpInput,
    output: HttpOutput,
    connectionTypes: ["rest-api"],
    verbatim: ["apiTemplate", "certificate", "trust"],
    async run({ input: given, scope, signal, idempotencyKey, connection, mask, log }) {
      const connected = connection !== undefined;
      const asker = askerOf({ scope, signal });
      requireFaultless(given, connected);
      const input = await withTemplate(given, connected, resources, asker);
      if (input !== given) requireFaultless(input, connected);
      const identity = await identityOf(input, resources, asker);
      const { method = "GET", responseType = "auto", maxResponseBytes = 1024 * 1024 } = input;
      const api = connection && restApi(connection.variables);
      const url = input.path === undefined ? parseUrl(input.url!)! : api!.below(input.path);
      const isOwn = api !== undefined && url.origin === api.origin;
      if (api && !isOwn)
        log("warn", `${url.origin} is not the connection's: its credentials are not sent there.`);
      const { body, type } = bodyToSend(input);
      const headers = headersToSend(input.headers);
      if (type !== undefined) headers["content-type"] ??= type;
      const credentials = isOwn ? api.credentials : {};
      headers["user-agent"] ??= credentials["user-agent"] ?? "pawl";
      if (CHANGES.has(method))
        headers["idempotency-key"] ??= credentials["idempotency-key"] ?? idempotencyKey;
      addQuery(url, input.query);

      const startedAt = performance.now();
      const response = await guardedRequest(dialer, {
        method,
        url,
        headers,
        credentials,
        identity,
        body,
        signal,
        maxRedirects: input.followRedirects === false ? 0 : (input.maxRedirects ?? 5),
        maxResponseBytes,
      });
      const durationMs = Math.round(performance.now() - startedAt);
      const target = `${method} ${publicUrl(response.url)}`;
      if (input.failOnStatus !== false && response.status >= 400) throw statusFault(response, target, mask);
      if (response.truncated) throw tooLarge(target, maxResponseBytes);
      return {
        status: response.status,
        headers: response.headers,
        body: bodyOf(response, responseType, target),
        url: publicUrl(response.url),
        durationMs,
      };
    },
    check: inputFaults,
    references: (input) =>
      (["apiTemplate", "certificate", "trust"] as const).flatMap((field) => {
        const name = input[field];
        if (typeof name !== "string") return [];
        const kind = field === "apiTemplate" ? field : "certificate";
        return [{ kind, access: "read" as const, name, path: `/${field}` }];
      }),
  });
}

function requireFaultless(input: HttpInput, connected: boolean): void {
  const fault = inputFaults(input as Record<string, unknown>, { connected })[0];
  if (fault) throw invalid(`${fault.path.slice(1)} ${fault.message}`);
}

/** The input with what its template gives; headers and query of the step come on top. */
async function withTemplate(
  input: HttpInput,
  connected: boolean,
  resources: StepResources,
  asker: Asker,
): Promise<HttpInput> {
  const { apiTemplate, apiParams = {}, ...rest } = input;
  if (apiTemplate === undefined) return input;
  const { needsConnection, ...filled } = await resources.fillApiTemplate(apiTemplate, apiParams, asker);
  if (needsConnection && !connected) {
    throw invalid(`the API template "${apiTemplate}" is for a connection, and the step has none.`);
  }
  const headers = { ...headersToSend(filled.headers), ...headersToSend(rest.headers) };
  return { ...rest, ...filled, headers, query: { ...filled.query, ...rest.query } };
}

async function identityOf(
  { certificate, trust }: HttpInput,
  resources: StepResources,
  asker: Asker,
): Promise<TlsIdentity | undefined> {
  if (certificate === undefined && trust === undefined) return undefined;
  const [own, authorities] = await Promise.all([
    certificate === undefined ? undefined : resources.loadCertificate(certificate, asker),
    trust === undefined ? undefined : resources.loadCertificate(trust, asker),
  ]);
  if (own && own.privateKey === null) {
    throw invalid(`the certificate "${own.name}" has no private key, and can only be trusted.`);
  }
  return {
    certificate: own?.certificate,
    privateKey: own?.privateKey ?? undefined,
    authorities: authorities?.certificate,
  };
}

function bodyToSend({ json, text, form, binary }: HttpInput): { body?: string | Uint8Array; type?: string } {
  if (json !== undefined) return { body: JSON.stringify(json), type: "application/json" };
  if (text !== undefined) return { body: text, type: "text/plain; charset=utf-8" };
  if (binary !== undefined) return { body: Buffer.from(binary, "base64"), type: "application/octet-stream" };
  if (form !== undefined) {
    return { body: pairs(form).toString(), type: "application/x-www-form-urlencoded" };
  }
  return {};
}

function headersToSend(headers: HttpInput["headers"] = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
}

/** As text, so that what the URL already has keeps its spelling: some servers sign it. */
function addQuery(url: URL, query: HttpInput["query"]): void {
  const added = pairs(query ?? {}).toString();
  if (added !== "") url.search = url.search === "" ? added : `${url.search}&${added}`;
}

function pairs(values: NonNullable<HttpInput["query"]>): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    for (const each of [value].flat()) if (each !== null) result.append(name, String(each));
  }
  return result;
}

function statusFault(response: GuardedResponse, target: string, mask: (text: string) => string): StepError {
  const { status } = response;
  const said = excerpt(response, EXCERPT_CHARS, mask);
  const message = `${target} answered ${status}${said ? `: ${said}` : " and gave no reason."}`;
  return new StepError("HTTP_STATUS", message, {
    retryable: status >= 500 || WORTH_A_RETRY.has(status),
    retryAfterMs: retryAfterMs(response.headers["retry-after"]),
  });
}

/** Seconds or a date, at most a day; nothing when it is neither. */
function retryAfterMs(header: string | string[] | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}

function tooLarge(target: string, limit: number): StepError {
  const message = `${target} answered with more than ${limit} bytes. Raise maxResponseBytes, or ask the server for less.`;
  return new StepError("RESPONSE_TOO_LARGE", message, { retryable: false });
}

function invalid(message: string): StepError {
  return new StepError("INVALID_INPUT", `The request can't be made: ${message}`, { retryable: false });
}
