/**
 * The id of a step in one attempt of its execution: the same before it begins, while it runs and once it has its result, so
 * that somebody who decides can say which question they have read.
 */
export function stepExecutionId(executionId: string, run: number, position: number): string {
  return executionId.slice(0, -8) + hex(run) + hex(position);
}

function hex(number: number): string {
  return number.toString(16).padStart(4, "0");
}
