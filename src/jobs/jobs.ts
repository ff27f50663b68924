import type pg from "pg";
import { collectionStore } from "./collection-store.ts";
import type { StepSources } from "./confidential.ts";
import { currentJobs } from "./current.ts";
import type { KnownReferences } from "./references.ts";
import { searchStore } from "./search-store.ts";
import { type KnownStepType, stepTypesByName } from "./step-type.ts";
import { jobStore } from "./store.ts";
import { variableUsage } from "./usage.ts";

/** The jobs part: what its routes work with, and what others are handed (`findStartable`, `loadCompiled`, `invalidate`, `variableUsage`). */
export type Jobs = ReturnType<typeof createJobs>;

export interface JobsOptions {
  pool: pg.Pool;
  stepTypes: Iterable<KnownStepType>;
  references: KnownReferences;
  sources: StepSources;
}

export function createJobs({ pool, stepTypes, references, sources }: JobsOptions) {
  const types = stepTypesByName(stepTypes);
  const store = jobStore(pool);
  const [collections, items] = [collectionStore(pool), searchStore(pool)];
  return {
    store,
    collections,
    items,
    types,
    references,
    variableUsage: variableUsage(pool, types),
    ...currentJobs(store, types, sources),
  };
}
