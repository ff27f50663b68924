import type { ApiTemplate, FilledRequest } from "../../contract/api-template.ts";
import { EvaluationError, ExpressionFault } from "../../lib/expression/fault.ts";
import { compileTemplate } from "../../lib/expression/template.ts";
import { compileParameters } from "../../lib/json-schema/parameters.ts";
import { StepError } from "../../lib/step-error.ts";
import { compilePath } from "./path.ts";
import type { ApiTemplateRow } from "./store.ts";

type Filled = Pick<ApiTemplateRow, "name" | "connectionType" | "method" | "path" | "definition">;
type Parts = Pick<FilledRequest, "headers" | "query"> & {
  body: Pick<FilledRequest, "json" | "text" | "form">;
};

/**
 * The request that a template stands for, with what a step fills in.
 * @throws StepError INVALID_INPUT: the values don't fit the template's parameters, or an expression fails on them
 */
export function fillApiTemplate(template: Filled, given: Record<string, unknown>): FilledRequest {
  const { headers, query, body, parameters } = template.definition;
  const { value: params, faults } = compileParameters(parameters)(given);
  const [fault] = faults;
  if (fault) {
    const place = fault.path === "" ? "what fills it in" : fault.path.slice(1);
    throw invalid(template, `${place} ${fault.message}`);
  }
  const scope = { params };
  try {
    const address = compilePath(template.path).render(scope);
    const parts = compileTemplate({ headers, query, body: body ?? {} }).template.render(scope) as Parts;
    return {
      method: template.method as ApiTemplate["method"],
      ...(template.connectionType === null ? { url: address } : { path: address }),
      headers: texts(parts.headers ?? {}),
      query: pairs("query", parts.query ?? {}),
      ...parts.body,
      ...(parts.body.text === undefined ? {} : { text: asText(parts.body.text) }),
      ...(parts.body.form === undefined ? {} : { form: pairs("form", parts.body.form) }),
    };
  } catch (error) {
    if (error instanceof EvaluationError || error instanceof ExpressionFault) {
      throw invalid(template, error.message);
    }
    throw error;
  }
}

/** A header that is one expression has the type of its value; one that is null is left out. */
function texts(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, asText(value)]),
  );
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Each is a value, or a list of them. */
function pairs<Pairs extends Record<string, unknown>>(what: string, given: Pairs): Pairs {
  for (const [name, value] of Object.entries(given)) {
    if ([value].flat().every((each) => each === null || typeof each !== "object")) continue;
    throw new EvaluationError(
      `${name} of its ${what} is an object: it takes texts, numbers, true and false.`,
    );
  }
  return given;
}

function invalid({ name }: Filled, why: string): StepError {
  return new StepError("INVALID_INPUT", `The API template "${name}" can't be filled in: ${why}`, {
    retryable: false,
  });
}
