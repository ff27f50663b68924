import { ApiError } from "../contract/errors.ts";
import { mayUseJob, type Principal } from "../http/principal.ts";
import { WeightedCache } from "./cache.ts";
import { type CompiledJob, compileJob } from "./compile.ts";
import type { StepSources } from "./confidential.ts";
import type { Definition } from "./definition.ts";
import { isHidden } from "./limits.ts";
import type { JobRow } from "./present.ts";
import type { StepTypes } from "./step-type.ts";
import type { JobStore } from "./store.ts";

type Rights = Pick<JobRow, "id" | "collectionId" | "tags">;
type Current = Rights & { job: CompiledJob; mcp: Definition["mcp"] };

// Characters of definition; compiled, they take some ten times as many bytes.
const CACHE_LIMIT = 16 * 1024 * 1024;

/**
 * Compiled jobs by version, and which version is current, kept in memory: a start makes no query for them. Another
 * process may change a job meanwhile; the engine refuses to start what is no longer current, and `invalidate` follows.
 */
export function currentJobs(store: JobStore, types: StepTypes, sources: StepSources) {
  const compiled = new WeightedCache<CompiledJob>(CACHE_LIMIT);
  const current = new WeightedCache<Current>(10_000);
  const loading = new Map<string, Promise<Current | undefined>>();
  let changes = 0;

  function compile(jobId: string, version: number, definition: Definition): CompiledJob {
    const key = `${jobId}:${version}`;
    const known = compiled.get(key);
    if (known) return known;
    const job = compileJob(jobId, version, definition, types, sources);
    compiled.set(key, job, JSON.stringify(definition).length);
    return job;
  }

  async function load(id: string): Promise<Current | undefined> {
    const before = changes;
    const row = await store.find(id, null);
    if (!row) return undefined;
    const { collectionId, tags, version, definition } = row;
    const found = { id, collectionId, tags, mcp: definition.mcp, job: compile(id, version, definition) };
    // What was read may be old when a change came meanwhile.
    if (changes === before) current.set(id, found, 1);
    return found;
  }

  async function find(id: string): Promise<Current | undefined> {
    const known = current.get(id) ?? loading.get(id);
    if (known) return known;
    const reading = load(id).finally(() => {
      if (loading.get(id) === reading) loading.delete(id);
    });
    loading.set(id, reading);
    return reading;
  }

  return {
    /** @throws ApiError NOT_FOUND, also for a job outside the principal's limits */
    async findStartable(principal: Principal, id: string): Promise<CompiledJob> {
      const found = await find(id);
      if (!found || !mayUseJob(principal, found) || isHidden(principal, found)) {
        throw new ApiError("NOT_FOUND", "There is no such job.");
      }
      return found.job;
    },

    /** The current version of a job, for a step that runs it: whoever saved that step was allowed to. */
    async findCurrent(id: string): Promise<CompiledJob | undefined> {
      return (await find(id))?.job;
    },

    /** A version of a job as the engine runs it, be the job deleted since. */
    async loadCompiled(jobId: string, version: number): Promise<CompiledJob | undefined> {
      const known = compiled.get(`${jobId}:${version}`);
      if (known) return known;
      const definition = await store.findDefinition(jobId, version);
      return definition && compile(jobId, version, definition);
    },

    /** To be called when the job has changed, or may have. */
    invalidate(jobId: string): void {
      changes++;
      current.delete(jobId);
      loading.delete(jobId);
    },
  };
}
