import { compileCondition } from "../lib/expression/expression.ts";
import { ExpressionFault } from "../lib/expression/fault.ts";
import { compileTemplate } from "../lib/expression/template.ts";
import type { Definition } from "./definition.ts";
import type { StepTypes } from "./step-type.ts";

/** A global variable that a step names. */
export interface NamedVariable {
  name: string;
  /** JSON pointer into the step. */
  path: string;
  /** Found in the text of code, where the same words may mean something else. */
  inCode: boolean;
}

/** The global variables that a step's expressions and code name. */
export function variablesOf(
  step: Pick<Definition["steps"][number], "type" | "input" | "when">,
  types: StepTypes,
): NamedVariable[] {
  const type = types.get(step.type);
  const input = step.input ?? {};
  const found: NamedVariable[] = [];
  const note = (path: string, references: readonly { root: string; keys: readonly string[] }[]) => {
    for (const { root, keys } of references) {
      if (root === "vars" && keys[0] !== undefined) found.push({ name: keys[0], path, inCode: false });
    }
  };
  const { references } = compileTemplate(input, { verbatim: type?.verbatim }).template;
  for (const placed of references) note(`/input${placed.path}`, placed.references);
  note("/when", referencesOf(step.when));
  for (const name of type?.variables?.(input) ?? []) found.push({ name, path: "/input", inCode: true });
  return found;
}

function referencesOf(when: string | undefined) {
  try {
    return when === undefined ? [] : compileCondition(when).references;
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return [];
  }
}
