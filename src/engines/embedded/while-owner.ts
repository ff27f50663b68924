import { FencedError } from "../../engine/journal/lane.ts";

/**
 * Condition for what the engine writes outside its journal: true while this process is the owner, else the statement fails.
 * The lock keeps a new owner waiting until that write is there to be found. It does not get in the way of the journal, which
 * updates the same row all the time.
 * @param owner name of the parameter that holds the number of the ownership
 */
export function whileOwner(owner: `$${number}`): string {
  return `(select 1 / count(*) from (select from journal_lane where lane = 0 and owner = ${owner} for key share) as mine) = 1`;
}

/** For `catch`: the division by zero above says that another process is the owner. */
export function orFenced(error: unknown): never {
  throw (error as { code?: string }).code === "22012" ? new FencedError() : error;
}
