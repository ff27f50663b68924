import type { FilterRequest } from "@contract/search.ts";
import type { Meta } from "@contract/shapes.ts";

/**
 * Refuses a name that a record has: an upsert by it would change that one. Asked by a search, since a path has words of its own where
 * some names would stand.
 */
export async function refuseTaken(
  noun: string,
  name: string,
  search: (call: { body: FilterRequest }) => Promise<{ meta: Meta }>,
): Promise<void> {
  if (name === "") return;
  const constraints = [{ value: name, matchMode: "equals" as const }];
  const { meta } = await search({ body: { filters: { name: { operator: "and", constraints } }, size: 1 } });
  if (meta.totalElements === 0) return;
  throw new Error(`There is a ${noun} of this name already. Choose another name, or change that one.`);
}
