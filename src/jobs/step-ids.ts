import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { JobInput } from "../contract/job.ts";
import { newId } from "../lib/ids.ts";
import type { Definition } from "./definition.ts";

/**
 * The definition with an id for every step. An id lasts across versions: it stays with the key, and a body that carries
 * it may change the key. An id that no step of the job has is refused: it would be another job's, or a slip.
 * @throws ApiError VALIDATION_FAILED
 */
export function withStepIds(input: JobInput, current: Definition | undefined): Definition {
  const existing = new Map((current?.steps ?? []).map((step) => [step.id, step.key]));
  const faults: FaultDetail[] = [];
  const taken = new Set<string>();
  for (const [i, { id }] of input.steps.entries()) {
    if (id === undefined) continue;
    if (taken.has(id))
      faults.push({ path: `/steps/${i}/id`, message: "is the id of another step of this body too." });
    else if (!existing.has(id)) {
      faults.push({
        path: `/steps/${i}/id`,
        message: "is not the id of a step of this job. Leave it out: a new step is given one.",
      });
    }
    taken.add(id);
  }
  if (faults.length > 0) {
    throw new ApiError(
      "VALIDATION_FAILED",
      `The job is not valid: ${faults[0]!.path} ${faults[0]!.message}`,
      {
        details: faults,
      },
    );
  }
  const byKey = new Map([...existing].map(([id, key]) => [key, id]));
  const steps = input.steps.map((step) => {
    const kept = byKey.get(step.key);
    const id = step.id ?? (kept !== undefined && !taken.has(kept) ? kept : newId());
    return { ...step, id };
  });
  return { ...input, steps };
}
