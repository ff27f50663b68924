import { Buffer } from "node:buffer";
import * as z from "zod/v4";
import { ToolFault } from "./faults.ts";

/** An answer of a tool, as JSON. Clients cut or drop what is much larger. */
export const mostBytes = 64 * 1024;

export function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? "");
}

/** What a cursor stands for, as text that the client hands back. It says where to go on, and gives no right to anything. */
export function cursorOf(place: object): string {
  return Buffer.from(JSON.stringify(place)).toString("base64url");
}

/** @throws ToolFault INVALID_PARAMETERS for what is no cursor of this tool */
export function placeOf<T>(cursor: string, shape: z.ZodType<T>): T {
  try {
    return shape.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new ToolFault(
      "INVALID_PARAMETERS",
      "The cursor is not one of this tool's. Leave it out to begin with the first page.",
    );
  }
}

export const PagePlace = z.object({
  page: z.number().int().min(0).max(1_000_000),
  size: z.number().int().min(1).max(50),
  /** Items of that page that were handed out already. */
  skip: z.number().int().min(0).max(50),
  /** Only what began before: new runs don't move the pages. */
  before: z.iso.datetime().optional(),
});
export type PagePlace = z.infer<typeof PagePlace>;

/** As many items as fit, and where to go on. One item at least: a page that hands out nothing would never end. */
export function pageOf<T>(
  items: T[],
  place: PagePlace,
  { total, room = mostBytes - 2048 }: { total: number; room?: number },
): { items: T[]; next: PagePlace | undefined } {
  let used = 0;
  const fitting: T[] = [];
  for (const item of items.slice(place.skip)) {
    used += sizeOf(item) + 1;
    if (used > room && fitting.length > 0) break;
    fitting.push(item);
  }
  const skip = place.skip + fitting.length;
  if (skip < items.length) return { items: fitting, next: { ...place, skip } };
  const more = total > place.page * place.size + items.length;
  return { items: fitting, next: more ? { ...place, page: place.page + 1, skip: 0 } : undefined };
}
