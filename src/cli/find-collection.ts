import type { Client } from "../client/client.ts";
import type { Collection } from "../contract/collection.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { where } from "./filters.ts";
import { pawl } from "./own-name.ts";

/** The collection of this name, or of this id. */
export async function findCollection(client: Client, nameOrId: string): Promise<Collection> {
  const named = await client.searchCollections({ body: { size: 1, filters: where({ name: nameOrId }) } });
  const hit = named.data[0];
  if (hit) return hit;
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(nameOrId)) {
    return (await client.getCollection({ params: { id: nameOrId } })).data;
  }
  const { data } = await client.searchCollections({ body: { size: 200, sortBy: "name", sortOrder: "asc" } });
  const names = data.map((one) => one.name);
  throw new CliError("refused", `There is no collection named "${nameOrId}".${didYouMean(nameOrId, names)}`, {
    hint: `\`${pawl} collection list\` shows those you may see.`,
  });
}
