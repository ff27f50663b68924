import { covers } from "../contract/authorities.ts";
import { type McpScope, scopeAuthorities } from "../contract/bridge.ts";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { JobLimits } from "../contract/identity.ts";
import type { Principal } from "../http/principal.ts";

/** What a principal may do, apart from who it is. */
export interface Rights {
  authorities: readonly string[];
  jobs: JobLimits | null;
}

/** Holds everything, without limits: there must always be one such principal, or nobody could mend anything. */
export function isAdministrator({ authorities, jobs }: Rights): boolean {
  return authorities.includes("*:*:*") && jobs === null;
}

/** Of what the scopes let an assistant do, what its user may do. */
export function authoritiesWithin(held: readonly string[], scopes: readonly McpScope[]): string[] {
  return scopes
    .flatMap((scope) => scopeAuthorities[scope])
    .filter((authority) => held.some((granted) => covers(granted, authority)));
}

/** Refuses to hand out what the caller does not hold; every such authority and limit is listed. */
export function requireMayGrant(caller: Rights, granted: Rights): void {
  const details = beyond(caller, granted);
  if (details.length === 0) return;
  throw new ApiError(
    "FORBIDDEN",
    `Nobody grants what they don't hold: ${details.map(({ path, message }) => `${path} ${message}`).join(" ")}`,
    { details },
  );
}

/** Refuses to act on a principal that may do more than the caller: its token would be a way up. */
export function requireNotAbove(caller: Principal, target: Rights & { name: string }, action: string): void {
  if (beyond(caller, target).length === 0) return;
  throw new ApiError(
    "FORBIDDEN",
    `You can't ${action} ${target.name}: it holds rights that you don't hold. Ask someone who holds them.`,
  );
}

/** Where the rights go beyond the caller's. Each limit must be one of the caller's own: tags and collections change. */
function beyond(caller: Rights, { authorities, jobs }: Rights): FaultDetail[] {
  const faults: FaultDetail[] = [];
  for (const [i, wanted] of authorities.entries()) {
    if (caller.authorities.some((held) => covers(held, wanted))) continue;
    faults.push({ path: `/authorities/${i}`, message: `is ${wanted}, which you don't hold.` });
  }
  if (caller.jobs === null) return faults;
  if (jobs === null) {
    faults.push({ path: "/jobs", message: "must be set: you are limited to some jobs yourself." });
    return faults;
  }
  for (const list of ["ids", "collections", "tags"] as const) {
    const own = new Set(caller.jobs[list]);
    for (const [i, wanted] of (jobs[list] ?? []).entries()) {
      if (!own.has(wanted))
        faults.push({ path: `/jobs/${list}/${i}`, message: "is beyond your own limits." });
    }
  }
  return faults;
}
