import type { Client } from "../client/client.ts";
import type { Job } from "../contract/job.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { pawl } from "./own-name.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The job of this name, or of this id. A name wins, should someone name a job like an id. */
export async function findJob(client: Client, nameOrId: string): Promise<Job> {
  const named = await client.searchJobs({
    body: {
      size: 1,
      filters: { name: { operator: "and", constraints: [{ value: nameOrId, matchMode: "equals" }] } },
    },
  });
  const hit = named.data[0];
  if (hit) return hit;
  if (uuid.test(nameOrId)) return (await client.getJob({ params: { id: nameOrId } })).data;

  const { data, meta } = await client.searchJobs({ body: { size: 200, sortBy: "name", sortOrder: "asc" } });
  const names = data.map((job) => job.name);
  throw new CliError("refused", `There is no job named "${nameOrId}".${didYouMean(nameOrId, names)}`, {
    hint:
      meta.totalElements === 0
        ? `There are no jobs yet: \`${pawl} job apply examples/earthquakes.yaml\` makes one.`
        : `\`${pawl} job list\` shows those you may see.`,
  });
}
