import { StepError } from "./step-error.ts";

/** An interface over HTTP as a `rest-api` connection describes it. */
export interface RestApi {
  base: URL;
  origin: string;
  /** Headers by lower-case name; for its own origin only. */
  credentials: Record<string, string>;
  /** @throws StepError when it would lead out of the base URL */
  below(path: string): URL;
}

/** Reads the variables of a connection. @throws StepError when they make no sense */
export function restApi(variables: Readonly<Record<string, string>>): RestApi {
  const base = URL.parse(variables.baseUrl ?? "");
  if (!base || (base.protocol !== "http:" && base.protocol !== "https:")) {
    throw invalid("The connection's base URL is not an absolute http or https URL.");
  }
  const folder = base.pathname.replace(/\/+$/, "");
  return {
    base,
    origin: base.origin,
    credentials: { ...headersOf(variables.headers), ...authOf(variables) },
    below(path) {
      const url = URL.parse(`${base.origin}${folder}/${path.replace(/^[/\\]+/, "")}`);
      // Dots, however they are spelled, are resolved by now.
      const inside = url?.origin === base.origin && `${url.pathname}/`.startsWith(`${folder}/`);
      if (!url || !inside) throw invalid("The path leads out of the connection's base URL.");
      if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) throw invalid("The path is a whole URL: give it as url.");
      if (base.search) url.search = [base.search.slice(1), url.search.slice(1)].filter(Boolean).join("&");
      return url;
    },
  };
}

/** `authType` says what the token is; left out, a token is a bearer's. */
function authOf({
  authType = "bearer",
  token = "",
}: Readonly<Record<string, string>>): Record<string, string> {
  if (token === "" || authType === "none") return {};
  if (hasControl(token))
    throw invalid("The connection's token has a line break or another control character in it.");
  if (authType === "apiKey") return { "x-api-key": token };
  if (authType === "basic") return { authorization: `Basic ${Buffer.from(token).toString("base64")}` };
  return { authorization: `Bearer ${token}` };
}

function headersOf(json = ""): Record<string, string> {
  if (json.trim() === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    // The message of the parser holds the text, and the text is secret.
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalid("The connection's headers are not a JSON object.");
  }
  return Object.fromEntries(
    Object.entries(parsed).map(([name, value]) => {
      const text = String(value);
      if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || hasControl(text)) {
        throw invalid("The connection has a header that HTTP does not allow.");
      }
      return [name.toLowerCase(), text];
    }),
  );
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  return /[\x00-\x08\x0a-\x1f\x7f]|[^\x00-\xff]/.test(text);
}

function invalid(message: string): StepError {
  return new StepError("INVALID_INPUT", message, { retryable: false });
}
