import type { JobExecution, StepExecution, WaitingFor } from "@contract/execution.ts";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { keys } from "../../services/keys.ts";
import { type Can, useCan, useMe } from "../../services/session.tsx";

/** Reads anew what shows this execution: what was done to it is so by now. */
export function useChanged(): () => void {
  const queryClient = useQueryClient();
  return useCallback(
    () => void queryClient.invalidateQueries({ queryKey: keys.executions.all }),
    [queryClient],
  );
}

/** Whether who is signed in is among those whom the step leaves the decision to. The server looks again. */
export function useMayDecide(): (waitingFor: Pick<WaitingFor, "authorities" | "principals">) => boolean {
  const { name } = useMe();
  const can = useCan();
  return useCallback((waitingFor) => mayDecide(waitingFor, name, can), [name, can]);
}

function mayDecide(
  { authorities, principals }: Pick<WaitingFor, "authorities" | "principals">,
  name: string,
  can: Can,
): boolean {
  if (!can("JobService:JobExecution:approve")) return false;
  if (authorities.length === 0 && principals.length === 0) return true;
  return principals.includes(name) || authorities.some((authority) => can(authority as Parameters<Can>[0]));
}

/** The step that is under way, waits, or would be next. */
export function currentStep({
  stepExecutions,
}: Pick<JobExecution, "stepExecutions">): StepExecution | undefined {
  return stepExecutions.find(
    ({ status }) => status === "RUNNING" || status === "WAITING" || status === "PENDING",
  );
}

const done: StepExecution["status"][] = ["COMPLETED", "SKIPPED", "FAILED"];

/** Where a restart may begin: steps whose predecessors all have a result that is kept. */
export function restartPoints({ status, stepExecutions, error }: JobExecution): StepExecution[] {
  if (status !== "FAILED" && status !== "STOPPED") return [];
  const open = stepExecutions.findIndex(
    (step) =>
      !done.includes(step.status) ||
      step.stepKey === error?.stepKey ||
      step.error?.code === "EXECUTION_TIMEOUT",
  );
  return open === -1 ? stepExecutions : stepExecutions.slice(0, open + 1);
}

/** "3 steps", "1 step". */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString()} ${count === 1 ? one : many}`;
}
