import { covers } from "../contract/authorities.ts";
import type { JobLimits } from "../contract/identity.ts";

/** Who is calling, and what they may do. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly authorities: readonly string[];
  /** Null: every job. */
  readonly jobs: JobLimits | null;
  /** Null: no token of ours, but a sign-in link, or somebody whom the identity provider vouches for. */
  readonly tokenId: string | null;
  /** Whether a browser's session says so, which goes along with whatever page made the request. */
  readonly bySession?: boolean;
  /** Set for the calls that the MCP bridge makes for an assistant: jobs that are not exposed don't exist for them. */
  readonly assistant?: { readonly clientId: string };
}

/** Whether the principal holds this authority, be it through `*`. */
export function holds(principal: Principal, authority: string): boolean {
  return principal.authorities.some((granted) => covers(granted, authority));
}

/** What the limits of a principal are compared with. */
export interface LimitedJob {
  id: string;
  collectionId?: string | null;
  tags?: readonly string[];
}

/** Whether the principal's limits let it see and use this job: one of its lists names it. Authorities apart. */
export function mayUseJob(principal: Principal, job: LimitedJob): boolean {
  const { jobs } = principal;
  if (jobs === null) return true;
  if (jobs.ids?.includes(job.id)) return true;
  if (job.collectionId != null && jobs.collections?.includes(job.collectionId)) return true;
  return jobs.tags?.some((tag) => job.tags?.includes(tag)) ?? false;
}
