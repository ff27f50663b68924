import type { ApiTemplateInput } from "../../contract/api-template.ts";
import type { FaultDetail } from "../../contract/errors.ts";
import type { Reference } from "../../lib/expression/code.ts";
import { ExpressionFault } from "../../lib/expression/fault.ts";
import { checkNames } from "../../lib/expression/names.ts";
import { compileTemplate } from "../../lib/expression/template.ts";
import { headerFault } from "../../lib/header-fault.ts";
import { closedNames, parametersFaults } from "../../lib/json-schema/parameters.ts";
import { compilePath } from "./path.ts";

// A guard for the server's time and memory, far above what requests hold.
const most = { characters: 262_144, expressions: 500 };

/** They would be kept in the clear, and shown to everyone who may read templates. */
const credentials: ReadonlySet<string> = new Set([
  "api-key",
  "authorization",
  "cookie",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
]);

/** Everything that is wrong with a template beyond its shape. */
export function templateFaults(input: ApiTemplateInput): FaultDetail[] {
  const { headers = {}, query = {}, body, parameters } = input;
  if (JSON.stringify([input.path, headers, query, body]).length > most.characters) {
    return [{ path: "", message: `has more than ${most.characters} characters.` }];
  }
  const faults = [...pathFaults(input), ...headersFaults(headers), ...bodyFaults(body)];
  const schema = parameters ? parametersFaults(parameters) : [];
  for (const { path, message } of schema) faults.push({ path: `/parameters${path}`, message });
  const params = schema.length === 0 ? closedNames(parameters) : undefined;
  return [...faults, ...expressionFaults(input, params)];
}

function pathFaults({ path, connectionType }: ApiTemplateInput): FaultDetail[] {
  const fault = (message: string) => [{ path: "/path", message }];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\x00-\x20\x7f#]/.test(path.replace(/\{\{[\s\S]*?\}\}/g, "x"))) {
    return fault("has a space, a # or a control character in it: write it as %20, %23 and so on.");
  }
  if (connectionType !== null) {
    return /^[a-z][a-z0-9+.-]*:\/\//i.test(path)
      ? fault("is a whole URL: give what is below the base URL of the connection, or connectionType null.")
      : [];
  }
  // Who fills the template in must not choose the server.
  const origin = /^https?:\/\/[^/?#\\]+(?=[/?]|$)/i.exec(path)?.[0];
  if (origin === undefined || origin.includes("{{") || URL.parse(origin) === null) {
    return fault(
      "must be an absolute http or https URL, with its host written out, since connectionType is null.",
    );
  }
  return origin.includes("@")
    ? fault("has a user or a password in it: credentials belong in a connection.")
    : [];
}

function headersFaults(headers: Record<string, string>): FaultDetail[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const twice = seen.has(name.toLowerCase());
    seen.add(name.toLowerCase());
    // What an expression holds is checked when it is known.
    const fault = twice
      ? "is there twice: the case of its letters makes no difference."
      : headerFault(name, value.includes("{{") ? "" : value);
    const message = credentials.has(name.toLowerCase())
      ? "has credentials: they belong in a connection, which sends them by itself."
      : fault;
    return message === undefined ? [] : [{ path: `/headers/${pointerPart(name)}`, message }];
  });
}

function bodyFaults(body: ApiTemplateInput["body"]): FaultDetail[] {
  if (body === undefined) return [];
  const given = Object.keys(body);
  if (given.length === 1) return [];
  if (given.length === 0) {
    return [{ path: "/body", message: "is empty: give one of json, text and form, or no body." }];
  }
  return [{ path: `/body/${given[1]}`, message: "is a second body: give one of json, text and form." }];
}

function expressionFaults(
  { path, headers = {}, query = {}, body = {} }: ApiTemplateInput,
  params: readonly string[] | undefined,
): FaultDetail[] {
  const { template, faults } = compileTemplate({ headers, query, body });
  const found: FaultDetail[] = faults.map(({ path, message, position }) => ({
    path,
    message: placed(message, position),
  }));
  const placedReferences = [...template.references];
  try {
    for (const { expression, at } of compilePath(path).expressions) {
      const references = expression.references.map((one) => ({ ...one, position: one.position + at }));
      placedReferences.push({ path: "/path", references });
    }
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    found.push({ path: "/path", message: placed(error.message, error.position) });
  }
  if (placedReferences.length > most.expressions) {
    return [...found, { path: "", message: `has more than ${most.expressions} expressions.` }];
  }
  for (const { path, references } of placedReferences) {
    for (const reference of references) {
      for (const message of nameFaults(reference, params)) {
        found.push({ path, message: placed(message, reference.position) });
      }
    }
  }
  return found;
}

/** A template knows nothing of the job that uses it. */
function nameFaults(reference: Reference, params: readonly string[] | undefined): string[] {
  if (reference.root !== "params") {
    return [
      `An API template knows its params only, and no ${reference.root}: name a parameter, and let the step fill it in.`,
    ];
  }
  return checkNames([reference], { earlier: [], later: [], params }).map(({ message }) => message);
}

function placed(message: string, position: number): string {
  return `(at character ${position + 1}): ${message}`;
}

function pointerPart(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
