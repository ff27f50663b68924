import type { Completion } from "@codemirror/autocomplete";
import { isMap, isSeq } from "yaml";
import type { Vocabulary } from "./completion.ts";
import type { JobDocument, Spot } from "./place.ts";
import type { Schema } from "./vocabulary.ts";

/** The expression up to the cursor, when it is in one: between {{ and }}, or the value of `when`. */
export function insideExpression(before: string, spot: Spot | undefined): string | undefined {
  const open = before.lastIndexOf("{{");
  const line = before.lastIndexOf("\n");
  if (open > line && !before.slice(open).includes("}}")) return before.slice(open + 2);
  if (spot?.at === "value" && spot.path.join("/") === "steps/*/when") return spot.typed;
  return undefined;
}

/** The names that may follow: those of steps that come before, of parameters, variables, the execution and the job. */
export function expressionOptions(
  word: string,
  document: JobDocument,
  step: number | undefined,
  { types, variables }: Vocabulary,
): Completion[] {
  const [root, key, field, ...deeper] = word.split(".");
  if (key === undefined) return roots;
  const earlier = stepsBefore(document, step);
  switch (root) {
    case "params":
      return field === undefined ? parametersOf(document) : [];
    case "vars":
      return field === undefined ? variables.map((label) => ({ label })) : [];
    case "execution":
      return fields(["id", "jobId", "startTime", "triggeredBy", "triggerSource"]);
    case "job":
      return fields(["id", "name", "version"]);
    case "steps": {
      if (field === undefined) return earlier.map((one) => ({ label: one.key, detail: one.type }));
      if (deeper.length === 0) return fields(["output", "status"]);
      const type = types.find(({ name }) => name === earlier.find((one) => one.key === key)?.type);
      if (field !== "output" || deeper.length > 1) return [];
      return schemaFields(type?.output as Schema | undefined);
    }
    default:
      return [];
  }
}

const roots: Completion[] = [
  { label: "params", detail: "what the execution was started with" },
  { label: "steps", detail: "outputs of the steps before" },
  { label: "vars", detail: "global variables" },
  { label: "execution", detail: "id, startTime, triggeredBy …" },
  { label: "job", detail: "id, name, version" },
];

function fields(names: string[]): Completion[] {
  return names.map((label) => ({ label }));
}

function schemaFields(schema: Schema | undefined): Completion[] {
  return Object.entries(schema?.properties ?? {}).map(([label, { description }]) => ({
    label,
    info: description,
  }));
}

function parametersOf(document: JobDocument): Completion[] {
  const properties = document.getIn(["parameters", "properties"], true);
  if (!isMap(properties)) return [];
  return properties.items.map(({ key }) => {
    const label = String(key);
    const type = document.getIn(["parameters", "properties", label, "type"]);
    return { label, detail: type === undefined ? "" : String(type) };
  });
}

function stepsBefore(document: JobDocument, step: number | undefined): { key: string; type: string }[] {
  const steps = document.get("steps", true);
  if (!isSeq(steps)) return [];
  return steps.items.slice(0, step ?? steps.items.length).flatMap((item) => {
    if (!isMap(item) || item.get("key") === undefined) return [];
    return [{ key: String(item.get("key")), type: String(item.get("type") ?? "") }];
  });
}
