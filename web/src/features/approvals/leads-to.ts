import type { JobExecution } from "@contract/execution.ts";
import { countOf } from "../executions/control.ts";
import type { Choice } from "./decision-form.tsx";

/** What approving and rejecting lead to, for who is about to do it. */
export function leadsTo({ stepExecutions, waitingFor }: JobExecution): Record<Choice, string> {
  const at = stepExecutions.findIndex(({ stepKey }) => stepKey === waitingFor?.stepKey);
  const after = stepExecutions.slice(at + 1);
  const [next] = after;
  return {
    approve: next
      ? `Approved, the execution goes on with the step “${next.stepName.slice(0, 80)}”.`
      : "Approved, the execution is completed: it was the last step.",
    reject: `Rejected, the execution is stopped${after.length > 0 ? `, and ${countOf(after.length, "step")} after this one will not run` : ""}.`,
  };
}
