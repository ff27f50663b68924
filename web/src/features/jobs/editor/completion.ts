import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from "@codemirror/autocomplete";
import type { StepTypeInfo } from "@contract/job.ts";
import { expressionOptions, insideExpression } from "./expressions.ts";
import { read, type Spot, spotAt, stepAt } from "./place.ts";
import type { Schema } from "./vocabulary.ts";

/** What completion knows; filled as it is read, so the editor can begin before. */
export interface Vocabulary {
  job: Schema | undefined;
  types: StepTypeInfo[];
  variables: string[];
}

/** Completes names and values of a job in YAML, and the names that its expressions may use. */
export function jobCompletion(vocabulary: () => Vocabulary): CompletionSource {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const spot = spotAt(before);
    const expression = insideExpression(before, spot);
    const known = vocabulary();
    if (expression !== undefined) {
      const word = /[\w.]*$/.exec(expression)![0];
      if (word === "" && !context.explicit && !/\{\{ ?$/.test(before)) return null;
      const document = read(context.state.doc.toString());
      const options = expressionOptions(word, document, stepAt(document, context.pos), known);
      const from = context.pos - (word.length - (word.lastIndexOf(".") + 1));
      return options.length > 0 ? { from, options, validFor: /^\w*$/ } : null;
    }
    if (spot === undefined || (spot.typed === "" && !context.explicit && spot.at === "key")) return null;
    const options = optionsAt(spot, known, () => {
      const document = read(context.state.doc.toString());
      const step = stepAt(document, context.pos);
      return step === undefined ? undefined : document.getIn(["steps", step, "type"]);
    });
    if (options.length === 0) return null;
    return { from: context.pos - spot.typed.length, options, validFor: /^[\w-]*$/ };
  };
}

function optionsAt(
  { path, at }: Spot,
  { job, types }: Vocabulary,
  typeOfStep: () => unknown,
): readonly Completion[] {
  if (at === "value" && path.join("/") === "steps/*/type") {
    return types.map(({ name, title, description }) => ({ label: name, detail: title, info: description }));
  }
  const [first, , third, ...rest] = path;
  let schema: Schema | undefined;
  if (first === "parameters") schema = walk(parameterSchema, path.slice(1), true);
  else if (first === "steps" && third === "input") {
    const type = typeOfStep();
    schema = walk(types.find(({ name }) => name === type)?.input as Schema | undefined, rest);
  } else schema = walk(job, path);
  if (!schema) return [];
  if (at === "key") return keysOf(schema);
  return valuesOf(schema);
}

function keysOf({ properties = {}, required = [] }: Schema): Completion[] {
  return Object.entries(properties).map(([name, property]) => ({
    label: name,
    apply: `${name}: `,
    detail: required.includes(name) ? "required" : (property.title ?? ""),
    info: property.description,
    boost: required.includes(name) ? 2 : 0,
  }));
}

function valuesOf({ enum: values, type }: Schema): Completion[] {
  const all = values ?? (type === "boolean" ? [true, false] : []);
  return all.map((value) => ({ label: String(value) }));
}

/** @param anyName whether every unknown name leads to a schema again, as in `properties` of JSON Schema */
function walk(schema: Schema | undefined, path: string[], anyName = false): Schema | undefined {
  let here = schema;
  for (let i = 0; here && i < path.length; i++) {
    const name = path[i]!;
    if (name === "*") here = here.items;
    else if (anyName && name === "properties") {
      // The name of the parameter is free; below it a schema begins anew.
      if (i === path.length - 1) return undefined;
      i++;
      here = parameterSchema;
    } else here = here.properties?.[name];
  }
  return here;
}

const about = (description: string, more: Schema = {}): Schema => ({ description, ...more });

/** What of JSON Schema one writes for parameters. */
const parameterSchema: Schema = {
  properties: {
    type: about("What kind of value it is.", {
      enum: ["string", "number", "integer", "boolean", "object", "array", "null"],
    }),
    title: about("Its label in the form."),
    description: about("Under its field in the form."),
    default: about("The value when none is given."),
    enum: about("The values that are possible: [a, b, c]."),
    format: about("The form of a text.", {
      enum: ["date", "date-time", "time", "email", "uri", "uuid", "hostname", "ipv4", "ipv6"],
    }),
    properties: about("The fields of an object, each a schema."),
    required: about("Names of the fields that must be given."),
    items: about("Schema of the items of a list."),
    secret: about("Masked wherever it would be shown.", { type: "boolean" }),
    minimum: about("The least number."),
    maximum: about("The largest number."),
    minLength: about("The fewest characters."),
    maxLength: about("The most characters."),
    pattern: about("A regular expression that a text must match."),
    minItems: about("The fewest items."),
    maxItems: about("The most items."),
    additionalProperties: about("Whether fields of other names are taken.", { type: "boolean" }),
  },
};
