import type { Static } from "typebox";
import { Compile } from "typebox/compile";
import { StepError } from "../lib/step-error.ts";
import {
  AskedForDecision,
  type DecisionAsked,
  Parked,
  StartsJob,
  type StepContext,
  type StepType,
} from "./plugin.ts";

interface Child {
  jobId: string;
  parameters: Record<string, unknown>;
}

/** Runs a step's code by the name of its type, after its input, now that it is rendered, was checked once more. */
export function createStepRunner(types: readonly StepType[]) {
  const byName = new Map(types.map((type) => [type.name, { type, validator: Compile(type.input) }]));

  return async function runStep(
    call: StepContext<unknown> & { type: string },
  ): Promise<{ output: unknown; until?: number; decision?: DecisionAsked; child?: Child }> {
    const known = byName.get(call.type);
    if (!known) {
      throw new StepError("UNKNOWN_STEP_TYPE", `There is no step type '${call.type}' here any more.`, {
        retryable: false,
      });
    }
    const { connectionTypes = [], connectionRequired } = known.type;
    const given = call.connection?.connectionType;
    // It was checked when the job was saved; a connection may have been replaced since by one of another type.
    if (given === undefined ? connectionRequired : !connectionTypes.includes(given)) {
      const takes =
        connectionTypes.length === 0 ? "takes none" : `takes one of the type ${connectionTypes.join(" or ")}`;
      const message = `The step has ${given ? `a connection of the type ${given}` : "no connection"}, and it ${takes}.`;
      throw new StepError("INVALID_INPUT", message, { retryable: false });
    }
    if (!known.validator.Check(call.input)) throw invalidInput(known.validator.Errors(call.input));
    const output = await known.type.run(call as StepContext<Static<typeof known.type.input>>);
    if (output instanceof Parked) return { output: output.output, until: output.until };
    if (output instanceof AskedForDecision) return { output: null, decision: output.decision };
    if (output instanceof StartsJob) {
      return { output: null, child: { jobId: output.jobId, parameters: output.parameters } };
    }
    return { output };
  };
}

function invalidInput(faults: { instancePath: string; message: string }[]): StepError {
  const list = faults
    .slice(0, 5)
    .map((fault) => `input${fault.instancePath.replaceAll("/", ".")} ${fault.message}`);
  return new StepError("INVALID_INPUT", `The input does not fit the step type: ${list.join("; ")}.`, {
    retryable: false,
  });
}
