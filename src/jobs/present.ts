import type { Collection } from "../contract/collection.ts";
import type { Job, JobVersion, Step, StepRecord } from "../contract/job.ts";
import type { SearchItem } from "../contract/search.ts";
import type { CollectionRow } from "./collection-store.ts";
import type { Definition } from "./definition.ts";
import type { ItemRow, StepRow } from "./search-store.ts";

/** A job with its current version. */
export interface JobRow {
  id: string;
  version: number;
  tags: string[];
  collectionId: string | null;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
  definition: Definition;
}

export interface VersionRow {
  version: number;
  current: boolean;
  createdAt: Date;
  createdBy: string;
  restoredFrom: number | null;
  definition: Definition;
}

export function presentJob(row: JobRow): Job {
  const { name, description, category, tags, parameters, timeoutMs, concurrency, mcp, steps } =
    row.definition;
  return {
    id: row.id,
    name,
    description: description ?? "",
    category: category ?? "",
    tags: tags ?? [],
    collectionId: row.collectionId,
    parameters,
    steps: steps.map(presentStep),
    timeoutMs,
    concurrency,
    mcp,
    version: row.version,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy: row.updatedBy,
  };
}

export function presentVersion(row: VersionRow): JobVersion {
  const { name, description, category, tags, parameters, timeoutMs, concurrency, mcp, steps } =
    row.definition;
  return {
    version: row.version,
    current: row.current,
    createdAt: row.createdAt.toISOString(),
    createdBy: row.createdBy,
    restoredFrom: row.restoredFrom,
    definition: {
      name,
      description,
      category,
      tags,
      parameters,
      timeoutMs,
      concurrency,
      mcp,
      steps: steps.map(presentStep),
    },
  };
}

function presentStep(step: Step): Step {
  const { id, key, name, description, type, when, connectionId, input, retry, timeoutMs, onError } = step;
  return { id, key, name, description, type, when, connectionId, input, retry, timeoutMs, onError };
}

export function presentItem({ id, type, name, description, category, tags, updatedAt }: ItemRow): SearchItem {
  return { id, type, name, description, category, tags, updatedAt: updatedAt.toISOString() };
}

export function presentStepRecord(row: StepRow): StepRecord {
  return {
    ...presentStep(row.definition),
    id: row.id,
    jobId: row.jobId,
    jobName: row.jobName,
    collectionId: row.collectionId,
    position: row.position,
    name: row.name,
    description: row.description,
    category: row.category,
    tags: row.tags,
    updatedAt: row.updatedAt.toISOString(),
  };
}

export function presentCollection(row: CollectionRow): Collection {
  const { id, name, description, category, tags, jobCount, createdBy, updatedBy } = row;
  return {
    id,
    name,
    description,
    category,
    tags,
    jobCount,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}
