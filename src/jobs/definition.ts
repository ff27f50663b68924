import type { Static } from "typebox";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { JobInput, JobVersion } from "../contract/job.ts";
import { closedNames, parametersFaults } from "../lib/json-schema/parameters.ts";
import { stepFaults } from "./step-faults.ts";
import type { StepTypes } from "./step-type.ts";

/** What is kept of a job, version by version: what a person wrote, and the lasting ids of its steps. */
export type Definition = Static<typeof JobVersion>["definition"];

// A guard for the server's time and memory, far above what jobs hold.
const MAX_EXPRESSIONS = 5000;
const MAX_FAULTS = 200;

/**
 * Refuses a definition that could not run, with every fault and its place.
 * @throws ApiError VALIDATION_FAILED
 */
export async function requireValid(input: JobInput, types: StepTypes): Promise<void> {
  const faults = await definitionFaults(input, types);
  if (faults.length === 0) return;
  const more = faults.length === 1 ? "" : ` (and ${faults.length - 1} more, see details)`;
  throw new ApiError(
    "VALIDATION_FAILED",
    `The job is not valid: ${faults[0]!.path} ${faults[0]!.message}${more}`,
    {
      details: faults.slice(0, MAX_FAULTS),
    },
  );
}

async function definitionFaults(input: JobInput, types: StepTypes): Promise<FaultDetail[]> {
  const faults: FaultDetail[] = [];
  const { parameters, steps } = input;
  if (parameters) {
    for (const { path, message } of parametersFaults(parameters)) {
      faults.push({ path: `/parameters${path}`, message });
    }
  }
  faults.push(...doubles(steps));
  if (JSON.stringify(steps).split("{{").length - 1 > MAX_EXPRESSIONS) {
    return [...faults, { path: "/steps", message: `hold more than ${MAX_EXPRESSIONS} expressions.` }];
  }
  const keys = steps.map(({ key }) => key);
  const params = closedNames(parameters);
  for (const [i, step] of steps.entries()) {
    const names = { earlier: keys.slice(0, i), later: keys.slice(i), params };
    for (const { path, message } of await stepFaults(step, names, types)) {
      faults.push({ path: `/steps/${i}${path}`, message });
    }
  }
  return faults;
}

function doubles(steps: JobInput["steps"]): FaultDetail[] {
  const faults: FaultDetail[] = [];
  const first = new Map<string, number>();
  for (const [i, { key }] of steps.entries()) {
    const at = first.get(key);
    if (at === undefined) first.set(key, i);
    else
      faults.push({
        path: `/steps/${i}/key`,
        message: `is the key of step ${at + 1} too; keys are unique in a job.`,
      });
  }
  return faults;
}
