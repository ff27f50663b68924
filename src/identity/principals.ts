import { isDeepStrictEqual } from "node:util";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { ApiError } from "../contract/errors.ts";
import type { PrincipalInput } from "../contract/identity.ts";
import { isUniqueViolation } from "../db/faults.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Principal } from "../http/principal.ts";
import { isAdministrator, type Rights, requireMayGrant, requireNotAbove } from "./rights.ts";
import * as store from "./store.ts";

/** Makes a principal with rights within the caller's. */
export async function createPrincipal(
  pool: pg.Pool,
  caller: Principal,
  input: PrincipalInput,
): Promise<store.PrincipalRow> {
  const rights = rightsOf(input);
  requireMayGrant(caller, rights);
  return refusingTakenNames(input.name, () => store.insertPrincipal(pool, rowOf(uuidv7(), input, rights)));
}

/** Answers the principal, unless its limits go beyond those of a limited caller: then nobody of that id is known. */
export async function readPrincipal(
  pool: pg.Pool,
  caller: Principal,
  id: string,
): Promise<store.PrincipalRow> {
  return (await store.findPrincipal(pool, id, caller.jobs)) ?? unknown(id);
}

/** Somebody with the rights that they have now, apart from any token; for what is done later in their name. */
export async function findPrincipal(pool: pg.Pool, id: string): Promise<Principal | undefined> {
  const row = await store.findPrincipal(pool, id, null);
  return row && { id, name: row.name, authorities: row.authorities, jobs: row.job_limits, tokenId: "" };
}

/**
 * Changes name, kind and rights; both the old rights and the new ones must lie within the caller's. Answers the names of
 * the fields that changed, too.
 */
export async function replacePrincipal(
  pool: pg.Pool,
  caller: Principal,
  id: string,
  input: PrincipalInput,
): Promise<{ row: store.PrincipalRow; changed: string[] }> {
  const rights = rightsOf(input);
  return refusingTakenNames(input.name, () =>
    inTransaction(pool, async (client) => {
      const administrators = await store.lockAdministrators(client);
      const row = (await store.lockPrincipal(client, id, caller.jobs)) ?? unknown(id);
      requireNotAbove(caller, targetOf(row), "change");
      requireMayGrant(caller, rights);
      if (!isAdministrator(rights)) await keepOne(client, administrators, row, "keep its rights");
      const next = rowOf(id, input, rights);
      return { row: await store.updatePrincipal(client, next), changed: differences(row, next) };
    }),
  );
}

function differences(row: store.NewPrincipal, next: store.NewPrincipal): string[] {
  const { name, kind, authorities } = row;
  const [before, after] = [
    { name, kind, authorities, jobs: row.job_limits },
    { name: next.name, kind: next.kind, authorities: next.authorities, jobs: next.job_limits },
  ];
  const fields = Object.keys(before) as (keyof typeof before)[];
  return fields.filter((field) => !isDeepStrictEqual(before[field], after[field]));
}

/** Removes the principal and its tokens. Answers its name. */
export async function deletePrincipal(pool: pg.Pool, caller: Principal, id: string): Promise<string> {
  return inTransaction(pool, async (client) => {
    const administrators = await store.lockAdministrators(client);
    const row = (await store.lockPrincipal(client, id, caller.jobs)) ?? unknown(id);
    requireNotAbove(caller, targetOf(row), "delete");
    await keepOne(client, administrators, row, "stay");
    await store.deletePrincipal(client, id);
    return row.name;
  });
}

/** Refuses what would leave nobody who holds everything, or nobody of them with a token to come in by. */
async function keepOne(
  db: store.Db,
  administrators: string[],
  { id, name }: store.PrincipalRow,
  must: string,
): Promise<void> {
  if (!administrators.includes(id)) return;
  const others = administrators.filter((one) => one !== id);
  if (others.length === 0) {
    throw new ApiError(
      "CONFLICT",
      `${name} must ${must}: it is the last principal that holds everything (*:*:*, every job). Make another one first.`,
    );
  }
  if ((await store.lastingTokens(db, others)).length > 0) return;
  throw new ApiError(
    "CONFLICT",
    `${name} must ${must}: no other principal that holds everything (*:*:*, every job) has a token that doesn't expire. ` +
      "Make one first.",
  );
}

export function targetOf(row: store.PrincipalRow): Rights & { name: string } {
  return { name: row.name, authorities: row.authorities, jobs: row.job_limits };
}

function rightsOf({ authorities, jobs }: PrincipalInput): Rights {
  return { authorities: [...new Set(authorities)], jobs: jobs ?? null };
}

function rowOf(
  id: string,
  { name, kind = "user", externalId = null }: PrincipalInput,
  { authorities, jobs }: Rights,
): store.NewPrincipal {
  return { id, name, kind, authorities: [...authorities], job_limits: jobs, external_id: externalId };
}

async function refusingTakenNames<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error, "principal_name_key")) {
      throw new ApiError("CONFLICT", `There is a principal named ${name} already. Choose another name.`);
    }
    if (isUniqueViolation(error, "principal_external_id_key")) {
      throw new ApiError(
        "CONFLICT",
        "Another principal has this externalId already. Take it from there first.",
      );
    }
    throw error;
  }
}

function unknown(id: string): never {
  throw new ApiError("NOT_FOUND", `There is no principal ${id}.`);
}
