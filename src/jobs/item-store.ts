import type pg from "pg";
import type { Step } from "../contract/job.ts";

/** A job as it can be found, with its steps. */
export interface FoundJob {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  collectionId: string | null;
  steps: readonly Step[];
  at: Date;
}

/** A collection as it can be found. */
export interface FoundCollection {
  id: string;
  name: string;
  description: string;
  category: string;
  tags: string[];
  at: Date;
}

/**
 * Makes the rows that searches look at those of this version of the job. What is as it was keeps its row and its
 * `updatedAt`: most of a save is the steps that nobody changed, and each has a dozen index entries.
 */
export async function writeJobItems(client: pg.PoolClient, job: FoundJob): Promise<void> {
  const { id, name, category, tags, collectionId, steps, at } = job;
  const stepIds = steps.map((step) => step.id);
  // One statement, since each costs a round trip while the job is locked.
  await client.query(
    `with
       items_gone as (delete from search_item where job_id = $1 and type = 'step' and id <> all($8::uuid[])),
       steps_gone as (delete from step where job_id = $1 and id <> all($8::uuid[])),
       steps_kept as (
         insert into step (id, job_id, definition) select id, $1, definition from unnest($8::uuid[], $13::json[]) as s (id, definition)
         on conflict (id) do update set definition = excluded.definition where step.definition::text <> excluded.definition::text
       ),
       words as (insert into search_word (word) select unnest($14::text[]) on conflict do nothing)
     insert into search_item as i (id, type, name, description, category, tags, updated_at, collection_id, job_id, job_name,
       key, step_type, position)
     select id, case when position = 1 then 'job' else 'step' end, name, description, $2, $3, $4, $5, $1,
       case when position > 1 then $6 end, key, type, case when position > 1 then position - 2 end
     from unnest($7::uuid[], $9::text[], $10::text[], $11::text[], $12::text[])
       with ordinality as s (id, name, description, key, type, position)
     on conflict (id) do update set (name, description, category, tags, updated_at, collection_id, job_name, key, step_type, position)
       = (excluded.name, excluded.description, excluded.category, excluded.tags, excluded.updated_at, excluded.collection_id,
          excluded.job_name, excluded.key, excluded.step_type, excluded.position)
       where i.type = 'job' or
         (i.name, i.description, i.category, i.tags, i.collection_id, i.job_name, i.key, i.step_type, i.position)
         is distinct from (excluded.name, excluded.description, excluded.category, excluded.tags, excluded.collection_id,
           excluded.job_name, excluded.key, excluded.step_type, excluded.position)`,
    [
      id,
      category,
      tags,
      at,
      collectionId,
      name,
      [id, ...stepIds],
      stepIds,
      [name, ...steps.map((step) => step.name ?? step.key)],
      [job.description, ...steps.map((step) => step.description ?? "")],
      [null, ...steps.map((step) => step.key)],
      [null, ...steps.map((step) => step.type)],
      steps.map((step) => JSON.stringify(step)),
      wordsOf([
        name,
        job.description,
        ...steps.flatMap((step) => [step.name ?? step.key, step.description ?? ""]),
      ]),
    ],
  );
}

export async function deleteJobItems(client: pg.PoolClient, jobId: string): Promise<void> {
  await client.query("delete from search_item where job_id = $1", [jobId]);
  await client.query("delete from step where job_id = $1", [jobId]);
}

/** Of the jobs that have moved to another collection, or to none. */
export async function moveItems(
  client: pg.PoolClient,
  jobIds: string[],
  collectionId: string | null,
  at: Date,
): Promise<void> {
  await client.query(
    `update search_item set collection_id = $2, updated_at = case when type = 'job' then $3 else updated_at end
     where job_id = any($1::uuid[])`,
    [jobIds, collectionId, at],
  );
}

export async function writeCollectionItem(client: pg.PoolClient, collection: FoundCollection): Promise<void> {
  const { id, name, description, category, tags, at } = collection;
  await client.query(
    `with words as (insert into search_word (word) select unnest($7::text[]) on conflict do nothing)
     insert into search_item (id, type, name, description, category, tags, updated_at, collection_id)
     values ($1, 'collection', $2, $3, $4, $5, $6, $1)
     on conflict (id) do update set (name, description, category, tags, updated_at)
       = (excluded.name, excluded.description, excluded.category, excluded.tags, excluded.updated_at)`,
    [id, name, description, category, tags, at, wordsOf([name, description])],
  );
}

export async function deleteCollectionItem(client: pg.PoolClient, id: string): Promise<void> {
  await client.query("delete from search_item where id = $1", [id]);
}

/** For "did you mean". In one order, so that two saves never wait for each other's words crosswise. */
function wordsOf(texts: string[]): string[] {
  return [...new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}{3,40}/gu) ?? []))].sort();
}
