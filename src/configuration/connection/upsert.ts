import type { ConnectionInput } from "../../contract/connection.ts";
import { ApiError } from "../../contract/errors.ts";
import { isUniqueViolation } from "../../db/faults.ts";
import type { Principal } from "../../http/principal.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import type { Vault } from "../../vault/vault.ts";
import { decryptFailed, openSealed, reentryRequired } from "../sealed.ts";
import { type MergedVariables, mergeVariables } from "./merge-variables.ts";
import { noSuchConnection } from "./read.ts";
import type { ConnectionKey, ConnectionRow, ConnectionStore, ConnectionTexts } from "./store.ts";
import { templateOf } from "./templates.ts";

export interface UpsertDeps {
  store: ConnectionStore;
  vault: Vault;
}

export interface Upserted {
  connection: ConnectionRow;
  outcome: "created" | "changed" | "unchanged";
  /** Names of the fields that differ from before. */
  changed: string[];
}

/** An insert lost to another and that one deleted again, so many times in a row: someone does it on purpose. */
const mostTries = 5;

/**
 * Creates the connection, or changes the one of its name and type (or of its id). Of two at once, one creates and the
 * other changes.
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND (an id that is not there), CONFLICT (the name is taken, or another
 * version is current), DECRYPT_FAILED, SECRET_REENTRY_REQUIRED
 */
export async function upsertConnection(
  { store, vault }: UpsertDeps,
  principal: Principal,
  input: ConnectionInput,
  expectedVersion?: number,
): Promise<Upserted> {
  const key: ConnectionKey = input.id === undefined ? input : { id: input.id };
  for (let tried = 0; tried < mostTries; tried++) {
    const done = await refusingTakenNames(input, () =>
      store.transaction(async (client): Promise<Upserted | undefined> => {
        const current = await store.lock(client, key);
        if (current === undefined && input.id !== undefined) throw noSuchConnection();
        requireVersion(current, expectedVersion);
        requireType(current, input);
        const merged = mergeVariables(templateOf(input.connectionType), input.variables ?? {}, current);
        const id = current?.id ?? newId();
        requireMergeable(vault, id, merged);
        const texts = textsOf(id, principal, input, merged);
        const changed = [...differences(current, texts), ...merged.changed];
        if (current !== undefined && changed.length === 0) {
          return { connection: current, outcome: "unchanged", changed };
        }
        const secrets = {
          sealed: sealAll(vault, id, merged.entered),
          removed: Object.keys(current?.sealed ?? {}).filter((name) => !(name in merged.kept)),
        };
        if (current !== undefined) await store.update(client, texts, secrets);
        else if (!(await store.insert(client, texts, secrets))) return undefined;
        const connection = await store.lock(client, { id });
        return { connection: connection!, outcome: current ? "changed" : "created", changed };
      }),
    );
    if (done) return done;
  }
  throw new ApiError("CONFLICT", "The connection is created and deleted by others just now. Try again.");
}

function requireVersion(current: ConnectionRow | undefined, expected: number | undefined): void {
  if (expected === undefined || current?.version === expected) return;
  const now = current === undefined ? "it is not there" : `it is at version ${current.version}`;
  throw new ApiError(
    "CONFLICT",
    `The connection was changed meanwhile: ${now}. Read it again, then repeat your change.`,
  );
}

/** Under an id the type stays: its secrets are sealed for fields that another type may not have. */
export function requireType(current: ConnectionRow | undefined, { connectionType }: ConnectionInput): void {
  if (current === undefined || current.connectionType === connectionType) return;
  throwFaults([
    {
      path: "/connectionType",
      message: `can't be changed: the connection is a ${current.connectionType}. Make another connection.`,
    },
  ]);
}

export function requireMergeable(vault: Vault, id: string, merged: MergedVariables): void {
  throwFaults(merged.faults);
  if (merged.misplaced.length > 0) throw decryptFailed();
  for (const [field, sealed] of Object.entries(merged.returned)) {
    openSealed(vault, "connection", { record: id, field }, sealed);
  }
  if (merged.toReenter.length === 0) return;
  throw reentryRequired(
    `Where the secrets go has changed: enter ${merged.toReenter.join(", ")} again, or remove with an empty text.`,
    merged.toReenter.map((name) => `/variables/${name}`),
  );
}

function textsOf(
  id: string,
  principal: Principal,
  { name, connectionType, category, description = "" }: ConnectionInput,
  { plain }: MergedVariables,
): ConnectionTexts {
  const filed = category ?? templateOf(connectionType).category;
  return {
    id,
    name,
    connectionType,
    category: filed,
    description,
    plain,
    by: principal.name,
    at: new Date(),
  };
}

function differences(current: ConnectionRow | undefined, texts: ConnectionTexts): string[] {
  const fields = ["name", "connectionType", "category", "description"] as const;
  return fields.filter((field) => current?.[field] !== texts[field]);
}

function sealAll(vault: Vault, id: string, entered: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entered).map(([field, text]) => [
      field,
      vault.seal("connection", { record: id, field }, text),
    ]),
  );
}

async function refusingTakenNames<Result>(
  { name, connectionType }: ConnectionInput,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error, "connection_identity")) throw error;
    throw new ApiError(
      "CONFLICT",
      `There is a connection of the type ${connectionType} named "${name}" already. Choose another name.`,
    );
  }
}
