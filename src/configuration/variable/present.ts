import type { Variable, VariableItem } from "../../contract/variable.ts";
import type { VariableRow } from "./store.ts";

export function presentVariable(row: VariableRow): Variable {
  const { id, name, description, secret, version, createdBy, updatedBy } = row;
  return {
    id,
    name,
    description,
    secret,
    value: secret ? row.sealed : row.value,
    version,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}

/** Without its value: a page of a thousand could be 64 MiB. */
export function presentVariableItem({ id, name, description, secret, updatedAt }: VariableRow): VariableItem {
  return { id, name, description, secret, updatedAt: updatedAt.toISOString() };
}
