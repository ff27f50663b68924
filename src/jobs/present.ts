import type { Job, JobVersion, Step } from "../contract/job.ts";
import type { Definition } from "./definition.ts";

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
  const { id, key, name, description, type, when, input, retry, timeoutMs, onError } = step;
  return { id, key, name, description, type, when, input, retry, timeoutMs, onError };
}
