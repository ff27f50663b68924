import type { FaultDetail } from "../contract/errors.ts";
import type { StepInput } from "../contract/job.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { compileCondition } from "../lib/expression/expression.ts";
import { ExpressionFault } from "../lib/expression/fault.ts";
import { checkNames, type Names } from "../lib/expression/names.ts";
import { compileTemplate } from "../lib/expression/template.ts";
import type { KnownStepType, StepTypes } from "./step-type.ts";

/** What is wrong with a step at its place in the job; paths start at the step. */
export async function stepFaults(step: StepInput, names: Names, types: StepTypes): Promise<FaultDetail[]> {
  const type = types.get(step.type);
  const input = step.input ?? {};
  const { template, faults: templateFaults } = compileTemplate(input, { verbatim: type?.verbatim });
  const faults: FaultDetail[] = [...whenFaults(step.when, names), ...connectionFaults(step, type)];
  if (!type) {
    const known = [...types.keys()];
    faults.push({
      path: "/type",
      message: `is not a step type.${didYouMean(step.type, known)} The types are ${known.join(", ")}.`,
    });
  }
  for (const { path, message, position } of templateFaults) {
    faults.push({ path: `/input${path}`, message: placed(message, position) });
  }
  for (const { path, references } of template.references) {
    for (const { message, position } of checkNames(references, names)) {
      faults.push({ path: `/input${path}`, message: placed(message, position) });
    }
  }
  if (!type) return faults;

  // Defaults are for the run: what is kept is what was written.
  const shape = type.checkInput
    .faults(structuredClone(input))
    .filter(({ path }) => isLiteral(path, template.dynamic));
  const own =
    shape.length === 0
      ? ((await type.check?.(structuredClone(input), { connected: isConnected(step) })) ?? [])
      : [];
  const rest = own.filter(({ path }) => path === "" || isLiteral(path, template.dynamic));
  for (const { path, message } of [...shape, ...rest]) faults.push({ path: `/input${path}`, message });
  return faults;
}

function isConnected({ connectionId, connection }: StepInput): boolean {
  return connectionId !== undefined || connection !== undefined;
}

/** What can be said without a look at the connections there are. */
function connectionFaults(step: StepInput, type: KnownStepType | undefined): FaultDetail[] {
  const { connectionTypes = [], connectionRequired = false } = type ?? {};
  const path = step.connection ? "/connection" : "/connectionId";
  if (step.connection && step.connectionId !== undefined) {
    return [{ path, message: "says the same as connectionId: give one of them." }];
  }
  if (!type) return [];
  const takes = `of the type ${connectionTypes.join(" or ")}`;
  if (!isConnected(step)) {
    return connectionRequired
      ? [{ path, message: `is missing: a ${type.name} step needs a connection ${takes}.` }]
      : [];
  }
  if (connectionTypes.length === 0) return [{ path, message: `is not used by a ${type.name} step.` }];
  const given = step.connection?.connectionType;
  if (given === undefined || connectionTypes.includes(given)) return [];
  return [
    {
      path: `${path}/connectionType`,
      message: `is not one that a ${type.name} step takes: it needs one ${takes}.`,
    },
  ];
}

function whenFaults(when: string | undefined, names: Names): FaultDetail[] {
  if (when === undefined) return [];
  try {
    return checkNames(compileCondition(when).references, names).map(({ message, position }) => ({
      path: "/when",
      message: placed(message, position),
    }));
  } catch (error) {
    if (!(error instanceof ExpressionFault)) throw error;
    return [{ path: "/when", message: placed(error.message, error.position) }];
  }
}

function placed(message: string, position: number): string {
  return `(at character ${position + 1}): ${message}`;
}

/**
 * Whether a fault is about what was written, and not about a text whose expression will give something else: one at such
 * a text, inside it, or around it.
 */
function isLiteral(path: string, dynamic: readonly string[]): boolean {
  return !dynamic.some((at) => path === at || path.startsWith(`${at}/`) || at.startsWith(`${path}/`));
}
