import * as z from "zod/v4";
import type { FilterRequest } from "../../contract/search.ts";
import { cursorOf, PagePlace, pageOf, placeOf } from "../pages.ts";
import { longestName } from "../run.ts";
import { cursor, limit, timestamp } from "../shapes.ts";
import { clean } from "../text.ts";
import { reads, tool } from "../tool.ts";

const text = (longest: number) => z.string().min(1).max(longest);

export const searchJobs = tool({
  name: "search_jobs",
  title: "Find jobs you may run",
  description:
    "Finds jobs by words in their name or description, by tags or by category; without any, lists all. Read a job with get_job before you start it.",
  scope: "jobs:read",
  subject: "job",
  annotations: reads,
  input: z.strictObject({
    query: text(200).optional().describe("Words that the name or the description must have."),
    tags: z.array(text(100)).max(10).optional().describe("Tags that the job must have, all of them."),
    category: text(100).optional(),
    limit,
    cursor: cursor.optional(),
  }),
  output: z.object({
    jobs: z.array(
      z.object({
        id: z.string(),
        name: z.string(),
        description: z.string(),
        category: z.string(),
        tags: z.array(z.string()),
        updatedAt: timestamp,
        canRun: z.boolean(),
      }),
    ),
    total: z.number().int(),
    nextCursor: z.string().optional(),
  }),
  async run({ query, tags = [], category, limit, cursor }, { caller, signal }) {
    const place = cursor === undefined ? { page: 0, size: limit, skip: 0 } : placeOf(cursor, PagePlace);
    const filters: NonNullable<FilterRequest["filters"]> = {};
    if (tags.length > 0) filters.tags = all(tags);
    if (category !== undefined) filters.category = all([category]);
    const found = await caller.platform.searchJobs({
      body: {
        page: place.page,
        size: place.size,
        ...(query === undefined ? {} : { searchText: query, sortBy: "relevance" }),
        ...(Object.keys(filters).length === 0 ? {} : { filters }),
      },
      signal,
    });
    const canRun = caller.authorities.has("JobService:Job:execute");
    const jobs = found.data.map((job) => ({
      id: job.id,
      name: clean(job.name, longestName),
      description: clean(job.description, 300),
      category: clean(job.category, 100),
      tags: job.tags.map((tag) => clean(tag, 100)),
      updatedAt: job.updatedAt,
      canRun,
    }));
    const { totalElements: total } = found.meta;
    const { items, next } = pageOf(jobs, place, { total });
    return { jobs: items, total, ...(next ? { nextCursor: cursorOf(next) } : {}) };
  },
});

function all(values: string[]) {
  return {
    operator: "and" as const,
    constraints: values.map((value) => ({ matchMode: "equals" as const, value })),
  };
}
