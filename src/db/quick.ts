import type pg from "pg";

const limitMs = 4_000;

/** A query that every request or start makes: while the database is silent its caller is told within seconds. */
export function quick(query: pg.QueryConfig): pg.QueryConfig {
  // pg reads it here too, its types don't know.
  return { ...query, query_timeout: limitMs } as pg.QueryConfig;
}
