import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { JobLimits } from "../contract/identity.ts";

/** The limits of a principal as a condition on `job`, whose parameters (see `limitValues`) start at `from`. */
export function within(from: number): string {
  const [all, ids, collections, tags] = [from, from + 1, from + 2, from + 3].map((n) => `$${n}`);
  return `(${all}::boolean or job.id = any(${ids}::uuid[]) or job.collection_id = any(${collections}::uuid[])
    or job.tags && ${tags}::text[])`;
}

/** The four parameters of `within` and `seenCollections`. */
export function limitValues(limits: JobLimits | null): unknown[] {
  return [limits === null, limits?.ids ?? [], limits?.collections ?? [], limits?.tags ?? []];
}

/** The jobs that a principal's limits name. */
export function withinLimits(limits: JobLimits | null): RawBuilder<SqlBool> {
  if (limits === null) return sql<SqlBool>`true`;
  const { ids = [], collections = [], tags = [] } = limits;
  return sql<SqlBool>`(job.id = any(${ids}::uuid[]) or job.collection_id = any(${collections}::uuid[])
    or job.tags && ${tags}::text[])`;
}

/** The same on `collection`: one that the limits name, or that holds a job they let the principal see. */
export function seenCollections(from: number): string {
  return `$${from}::boolean or collection.id = any($${from + 2}::uuid[]) or collection.id in
    (select job.collection_id from job where job.deleted_at is null and ${within(from)})`;
}
