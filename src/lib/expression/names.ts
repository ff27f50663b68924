import { didYouMean } from "../did-you-mean.ts";
import type { Reference } from "./code.ts";

/** What may be referred to at one place of a job. */
export interface Names {
  /** Keys of the steps that come before, in order. */
  earlier: readonly string[];
  /** Keys of this step and the ones after. */
  later: readonly string[];
  /** Names of the parameters, when there can be no others. */
  params: readonly string[] | undefined;
}

/** The fields of `execution` and `job`: what the engine puts there. */
export const EXECUTION_FIELDS = ["id", "jobId", "startTime", "triggeredBy", "triggerSource"] as const;
export const JOB_FIELDS = ["id", "name", "version"] as const;
const STEP_FIELDS = ["output", "status"] as const;

export interface NameFault {
  message: string;
  position: number;
}

/** The references that lead nowhere, each with why. */
export function checkNames(references: readonly Reference[], names: Names): NameFault[] {
  const faults: NameFault[] = [];
  for (const reference of references) {
    const message = wrong(reference, names);
    if (message !== undefined) faults.push({ message, position: reference.position });
  }
  return faults;
}

function wrong({ root, keys }: Reference, names: Names): string | undefined {
  const [key, field] = keys;
  switch (root) {
    case "steps":
      if (key === undefined) return "A step is referred to by its key, such as steps.fetch.output.";
      return unknownStep(key, names) ?? unknownField(`steps.${key}`, field, STEP_FIELDS);
    case "vars":
      // A name that is computed would let whoever starts the job choose among all variables.
      return key === undefined ? "A variable is referred to by its name, such as vars.API_URL." : undefined;
    case "params":
      if (key === undefined || names.params === undefined || names.params.includes(key)) return undefined;
      return `There is no parameter "${key}".${didYouMean(key, names.params)}`;
    case "execution":
      return unknownField(root, key, EXECUTION_FIELDS);
    case "job":
      return unknownField(root, key, JOB_FIELDS);
    default:
      return undefined;
  }
}

function unknownStep(key: string, { earlier, later }: Names): string | undefined {
  if (earlier.includes(key)) return undefined;
  if (key === later[0]) return `Step "${key}" can't refer to itself.`;
  if (later.includes(key)) return `Step "${key}" comes later, so it has no output yet.`;
  return `There is no step "${key}".${didYouMean(key, earlier)}`;
}

function unknownField(
  holder: string,
  field: string | undefined,
  known: readonly string[],
): string | undefined {
  if (field === undefined || known.includes(field)) return undefined;
  return `${holder} has no "${field}", only ${known.join(", ")}.${didYouMean(field, known)}`;
}
