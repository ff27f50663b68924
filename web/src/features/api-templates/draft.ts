import type { ApiBody, ApiTemplate, ApiTemplateInput } from "@contract/api-template.ts";

export const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

/** A name and a value of headers, a query or a form. */
export interface Pair {
  key: number;
  name: string;
  text: string;
  /** What the text was made from: sent as it is when the text was not touched. */
  given?: { text: string; value: unknown };
}

export type BodyKind = "none" | "json" | "text" | "form";

/** A template as its form has it. */
export interface TemplateDraft {
  name: string;
  description: string;
  category: string;
  connected: boolean;
  method: ApiTemplate["method"];
  path: string;
  headers: Pair[];
  query: Pair[];
  bodyKind: BodyKind;
  json: string;
  text: string;
  form: Pair[];
  parameters: string;
}

let made = 0;
export const newPair = (): Pair => ({ key: ++made, name: "", text: "" });

function pairsOf(record: Record<string, unknown> | undefined): Pair[] {
  return Object.entries(record ?? {}).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return { key: ++made, name, text, given: { text, value } };
  });
}

const jsonText = (value: unknown) => (value === undefined ? "" : JSON.stringify(value, null, 2));

export function draftOf(template?: ApiTemplate): TemplateDraft {
  const body: ApiBody = template?.body ?? {};
  const parameters = template?.parameters ?? {};
  return {
    name: template?.name ?? "",
    description: template?.description ?? "",
    category: template?.category ?? "",
    connected: template ? template.connectionType !== null : true,
    method: template?.method ?? "GET",
    path: template?.path ?? "",
    headers: pairsOf(template?.headers),
    query: pairsOf(template?.query),
    bodyKind: "json" in body ? "json" : body.text !== undefined ? "text" : body.form ? "form" : "none",
    json: jsonText(body.json),
    text: body.text ?? "",
    form: pairsOf(body.form),
    parameters: Object.keys(parameters).length === 0 ? "" : jsonText(parameters),
  };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether what is to be JSON in it is. */
export function isReady({ bodyKind, json, parameters }: TemplateDraft): boolean {
  return (bodyKind !== "json" || isJson(json)) && (parameters.trim() === "" || isJson(parameters));
}

function recordOf<T>(pairs: Pair[]): Record<string, T> {
  const entries = pairs
    .filter(({ name }) => name !== "")
    .map(({ name, text, given }): [string, unknown] => [name, given?.text === text ? given.value : text]);
  return Object.fromEntries(entries) as Record<string, T>;
}

function bodyOf({ bodyKind, json, text, form }: TemplateDraft): { body?: ApiBody } {
  switch (bodyKind) {
    case "json":
      return { body: { json: JSON.parse(json) } };
    case "text":
      return { body: { text } };
    case "form":
      return { body: { form: recordOf(form) } };
    default:
      return {};
  }
}

/** The body that saves it. */
export function inputOf(draft: TemplateDraft, template: ApiTemplate | undefined): ApiTemplateInput {
  const { name, description, category, connected, method, path, headers, query, parameters } = draft;
  return {
    ...(template ? { id: template.id } : {}),
    name,
    description,
    category,
    connectionType: connected ? "rest-api" : null,
    method,
    path,
    headers: recordOf(headers),
    query: recordOf(query),
    ...bodyOf(draft),
    ...(parameters.trim() === "" ? {} : { parameters: JSON.parse(parameters) }),
  };
}
