import { type RawBuilder, type SqlBool, sql } from "kysely";
import type pg from "pg";
import type { JobLimits } from "../contract/identity.ts";
import type { Step } from "../contract/job.ts";
import { type ItemType, itemTypes } from "../contract/search.ts";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { escapeLike } from "../db/filter-sql.ts";
import { createKysely } from "../db/pool.ts";

const name = { column: sql`item.name`, lower: sql`item.name_lower`, sort: sql`item.name` };
const description = { column: sql`item.description`, lower: sql`item.description_lower` };
const shared: FieldMap = {
  id: { kind: "id", column: sql`item.id` },
  name: { kind: "string", ...name },
  description: { kind: "string", ...description },
  category: { kind: "string", column: sql`item.category`, sort: sql`item.category` },
  tags: { kind: "strings", column: sql`item.tags` },
  updatedAt: { kind: "date", column: sql`item.updated_at`, sort: sql`item.updated_at` },
};

/** What `POST /search` may filter and sort by. */
export const itemFields: FieldMap = {
  ...shared,
  type: { kind: "enum", column: sql`item.type`, values: itemTypes, sort: sql`item.type` },
};

/** What `POST /step/search` may filter and sort by. */
export const stepFields: FieldMap = {
  ...shared,
  jobId: { kind: "id", column: sql`item.job_id` },
  jobName: { kind: "string", column: sql`item.job_name` },
  collectionId: { kind: "id", column: sql`item.collection_id` },
  position: { kind: "number", column: sql`item.position` },
  key: { kind: "string", column: sql`item.key` },
  type: { kind: "string", column: sql`item.step_type` },
};

export const itemSearch = [name, description];

export interface ItemRow {
  id: string;
  type: ItemType;
  name: string;
  description: string;
  category: string;
  tags: string[];
  updatedAt: Date;
}

export interface StepRow extends Omit<ItemRow, "type"> {
  jobId: string;
  jobName: string;
  collectionId: string | null;
  position: number;
  definition: Step;
}

/** Whose view of which things. Both are conditions of every query: what lies outside is neither found nor counted. */
export interface Scope {
  types: readonly ItemType[];
  limits: JobLimits | null;
}

export interface Found<Row> {
  rows: Row[];
  total: number;
}

// Up to so many hits are gathered and sorted; more are read in the order of an index, which has enough of them soon.
const FEW = 20_000;

const itemColumns = sql<ItemRow>`item.id::text, item.type, item.name, item.description, item.category, item.tags,
  item.updated_at as "updatedAt"`;
const stepColumns = sql<
  Omit<StepRow, "definition">
>`item.id::text, item.name, item.description, item.category, item.tags, item.updated_at as "updatedAt",
  item.job_id::text as "jobId", item.job_name as "jobName", item.collection_id::text as "collectionId", item.position`;

export type SearchStore = ReturnType<typeof searchStore>;

/** Reads what `item-store.ts` wrote. */
export function searchStore(pool: pg.Pool) {
  const db = createKysely(pool);

  async function count(scope: Scope, { where }: CompiledFilter): Promise<number> {
    const counted = sql<{ total: number }>`select count(*) as total from search_item item
      where ${visible(scope)} and ${where}`;
    return (await counted.execute(db)).rows[0]!.total;
  }

  /**
   * Counts first: only then is it known whether few rows match or many, and the planner, who can but guess how many rows
   * hold a part of a text, would sometimes read all million in order of id to find the three that do.
   */
  async function page<Row>(
    columns: RawBuilder<Row>,
    scope: Scope,
    filter: CompiledFilter,
  ): Promise<Found<Row>> {
    const total = await count(scope, filter);
    if (total <= filter.offset) return { rows: [], total };
    const { where, orderBy, limit, offset } = filter;
    const matching = sql`select * from search_item item where ${visible(scope)} and ${where}`;
    // To the planner an offset is a fence: what is within is found first, and sorted then.
    const items = total > FEW ? sql`(${matching})` : sql`(${matching} offset 0)`;
    const found = sql<Row>`select ${columns} from ${items} item order by ${orderBy} limit ${limit} offset ${offset}`;
    return { rows: (await found.execute(db)).rows, total };
  }

  return {
    count,

    searchItems: (scope: Scope, filter: CompiledFilter) => page(itemColumns, scope, filter),

    async searchSteps(limits: JobLimits | null, filter: CompiledFilter): Promise<Found<StepRow>> {
      const { rows, total } = await page(stepColumns, { types: ["step"], limits }, filter);
      const text = "select id::text, definition from step where id = any($1::uuid[])";
      const found = await pool.query<Pick<StepRow, "id" | "definition">>(text, [rows.map(({ id }) => id)]);
      const definitions = new Map(found.rows.map(({ id, definition }) => [id, definition]));
      // One that was deleted meanwhile has none any more.
      return {
        rows: rows.flatMap((row) => {
          const definition = definitions.get(row.id);
          return definition ? [{ ...row, definition }] : [];
        }),
        total,
      };
    },

    async findStep(id: string, limits: JobLimits | null): Promise<StepRow | undefined> {
      const scope = visible({ types: ["step"], limits });
      const { rows } =
        await sql<StepRow>`select ${stepColumns}, step.definition from search_item item join step using (id)
        where item.id = ${id}::uuid and ${scope}`.execute(db);
      return rows[0];
    },

    /** Whether some word of some name or description has this in it. */
    async isKnown(part: string): Promise<boolean> {
      const { rowCount } = await pool.query("select from search_word where word like $1 limit 1", [
        `%${escapeLike(part)}%`,
      ]);
      return rowCount !== 0;
    },

    /** The words most like this one, and those of `slips` that are words. */
    async findSimilar(word: string, slips: string[]): Promise<string[]> {
      const { rows } = await pool.query<{ word: string }>(
        `(select word from search_word where word = any($2::text[]))
         union all
         (select word from search_word where word % $1 order by similarity(word, $1) desc, word limit 30)`,
        [word, slips],
      );
      return rows.map((row) => row.word);
    },
  };
}

function visible({ types, limits }: Scope): RawBuilder<SqlBool> {
  const ofTypes =
    types.length === itemTypes.length
      ? sql<SqlBool>`true`
      : types.length === 1
        ? sql<SqlBool>`item.type = ${types[0]}`
        : sql<SqlBool>`item.type = any(${types}::text[])`;
  return limits === null ? ofTypes : sql<SqlBool>`(${ofTypes} and ${within(limits)})`;
}

/** A step has the rights of its job. A collection is seen by those who are limited to it, or may see a job in it. */
function within({ ids = [], collections = [], tags = [] }: JobLimits): RawBuilder<SqlBool> {
  const named = (alias: string) => sql`(${sql.ref(`${alias}.job_id`)} = any(${ids}::uuid[])
    or ${sql.ref(`${alias}.collection_id`)} = any(${collections}::uuid[]) or ${sql.ref(`${alias}.tags`)} && ${tags}::text[])`;
  return sql<SqlBool>`(item.type <> 'collection' and ${named("item")}
    or item.type = 'collection' and (item.id = any(${collections}::uuid[])
      or item.id in (select mine.collection_id from search_item mine where mine.type = 'job' and ${named("mine")})))`;
}
