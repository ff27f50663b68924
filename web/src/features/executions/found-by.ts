import type { ExecutionStatus } from "@contract/execution.ts";
import type { Condition, TableState } from "../../components/table/filters.ts";

/** The list of executions that a number counts, as the address has it. */
export function foundBy({
  status,
  from,
  to,
}: {
  status?: ExecutionStatus[];
  from?: string | undefined;
  to?: string | undefined;
}): TableState {
  const f: Condition[] = [];
  if (status) f.push(["status", "in", status]);
  if (from && to) f.push(["startTime", "between", [from, to]]);
  else if (from) f.push(["startTime", "gte", from]);
  return f.length > 0 ? { f } : {};
}
