import { ApiError, type FaultDetail } from "../../contract/errors.ts";
import type { VariableInput } from "../../contract/variable.ts";
import { isUniqueViolation } from "../../db/faults.ts";
import type { Principal } from "../../http/principal.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import type { Vault } from "../../vault/vault.ts";
import { nameTaken, noSuch, requireVersion } from "../named.ts";
import { decryptFailed, looksSealed, openSealed, reentryRequired } from "../sealed.ts";
import { type NewValue, sealedField, type VariableRow, type VariableStore } from "./store.ts";

export interface VariableDeps {
  store: VariableStore;
  vault: Vault;
}

export interface UpsertedVariable {
  variable: VariableRow;
  outcome: "created" | "changed" | "unchanged";
  /** Names of the fields that differ from before. */
  changed: string[];
}

const mostBytes = 65_536;
const mostTries = 5;
/** Words of the expression language: `vars.in` would be no name. */
const reserved = ["in", "true", "false", "null"];

/**
 * Creates the variable, or changes the one of its name (or of its id). Of two at once, one creates and the other changes.
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND (an id that is not there), CONFLICT (the name is taken, or another
 * version is current), DECRYPT_FAILED, SECRET_REENTRY_REQUIRED
 */
export async function upsertVariable(
  { store, vault }: VariableDeps,
  principal: Principal,
  input: VariableInput,
  expectedVersion?: number,
): Promise<UpsertedVariable> {
  requireNameable(input.name);
  const key = input.id === undefined ? { name: input.name } : { id: input.id };
  for (let tried = 0; tried < mostTries; tried++) {
    const done = await refusingTakenNames(input.name, () =>
      store.transaction(async (client): Promise<UpsertedVariable | undefined> => {
        const current = await store.lock(client, key);
        if (current === undefined) requireCreatable(input, expectedVersion);
        else requireVersion("variable", current, expectedVersion);
        const id = current?.id ?? newId();
        const value = newValue(vault, id, input, current);
        const { name, description = "" } = input;
        const changed = changedFields(input, description, value, current);
        if (current && changed.length === 0) return { variable: current, outcome: "unchanged", changed };
        const texts = { id, name, description, by: principal.name, at: new Date() };
        if (current) await store.update(client, texts, value);
        else if (!(await store.insert(client, texts, value!))) return undefined;
        const variable = (await store.lock(client, { id }))!;
        return { variable, outcome: current ? "changed" : "created", changed };
      }),
    );
    if (done) return done;
  }
  throw new ApiError("CONFLICT", "The variable is created and deleted by others just now. Try again.");
}

/** Who names an id or a version means a variable that is there. */
function requireCreatable({ id, name }: VariableInput, expectedVersion: number | undefined): void {
  if (id !== undefined) throw noSuch("variable");
  if (expectedVersion === undefined) return;
  throw new ApiError("CONFLICT", `There is no variable named "${name}" any more: it was deleted or renamed.`);
}

/** What is to be written for the value; undefined: it stays as it is. */
function newValue(
  vault: Vault,
  id: string,
  input: VariableInput,
  current: VariableRow | undefined,
): NewValue {
  const secret = input.secret ?? current?.secret ?? false;
  const isSealed = typeof input.value === "string" && looksSealed(input.value);
  if (current?.secret && !secret && (input.value === undefined || isSealed)) {
    throw reentryRequired("What was secret is not shown: enter the value again to make it plain.", [
      "/value",
    ]);
  }
  if (input.value === undefined && current === undefined) refuse("is required.");
  if (isSealed) {
    if (!secret || !current?.secret) throw decryptFailed();
    openSealed(vault, "variable", { record: id, field: sealedField }, input.value as string);
    return undefined;
  }
  if (input.value === undefined && secret === current?.secret) return undefined;
  const value = input.value === undefined ? current!.value : input.value;
  if (Buffer.byteLength(JSON.stringify(value)) > mostBytes) refuse("must have 64 KiB at most, as JSON.");
  if (!secret) return { plain: value };
  if (typeof value !== "string" || value === "") refuse("must be a text that is not empty: it is a secret.");
  return { sealed: vault.seal("variable", { record: id, field: sealedField }, value) };
}

function changedFields(
  input: VariableInput,
  description: string,
  value: NewValue,
  current: VariableRow | undefined,
): string[] {
  if (!current) return ["name", "description", "secret", "value"];
  const changed: string[] = [];
  if (current.name !== input.name) changed.push("name");
  if (current.description !== description) changed.push("description");
  if (value === undefined) return changed;
  if (current.secret !== "sealed" in value) changed.push("secret");
  const same = "plain" in value && !current.secret && sameJson(value.plain, current.value);
  return same ? changed : [...changed, "value"];
}

/** As text: two objects that say the same in another order differ, which does no harm. */
function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function requireNameable(name: string): void {
  if (!reserved.includes(name)) return;
  const message = `is a word of the expression language. Choose another name than ${reserved.join(", ")}.`;
  throwFaults([{ path: "/name", message }]);
}

function refuse(message: string): never {
  const details: FaultDetail[] = [{ path: "/value", message }];
  throw new ApiError("VALIDATION_FAILED", `The request is not valid: /value ${message}`, { details });
}

async function refusingTakenNames<Result>(name: string, write: () => Promise<Result>): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, "global_variable_name")) throw error;
    throw nameTaken("variable", name);
  }
}
