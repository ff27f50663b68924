import type { ConnectionInput, StepConnection } from "../../contract/connection.ts";
import { openSealed } from "../sealed.ts";
import type { DecryptDeps } from "./decrypt.ts";
import { mergeVariables } from "./merge-variables.ts";
import { noSuchConnection } from "./read.ts";
import { templateOf } from "./templates.ts";
import { requireMergeable, requireType } from "./upsert.ts";

/** A connection in the clear that is not saved yet; its id is null when it is not there yet. */
export type Draft = Pick<StepConnection, "name" | "connectionType" | "variables" | "sensitiveVariables"> & {
  id: string | null;
};

/**
 * What a connection would be if it was saved now. The rules are those of saving: who can't have a secret sent elsewhere by saving
 * can't by a test.
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND, DECRYPT_FAILED, SECRET_REENTRY_REQUIRED
 */
export async function openDraft({ store, vault }: DecryptDeps, input: ConnectionInput): Promise<Draft> {
  const id = input.id ?? (await store.findId(input.name, input.connectionType));
  const current = id === undefined ? undefined : await store.find(id);
  if (current === undefined && input.id !== undefined) throw noSuchConnection();
  requireType(current, input);
  const merged = mergeVariables(templateOf(input.connectionType), input.variables ?? {}, current);
  requireMergeable(vault, current?.id ?? "", merged);
  const kept = Object.entries(merged.kept).map(([field, sealed]) => [
    field,
    openSealed(vault, "connection", { record: current!.id, field }, sealed),
  ]);
  return {
    id: current?.id ?? null,
    name: input.name,
    connectionType: input.connectionType,
    variables: { ...merged.plain, ...Object.fromEntries(kept), ...merged.entered },
    sensitiveVariables: [...Object.keys(merged.kept), ...Object.keys(merged.entered)],
  };
}
