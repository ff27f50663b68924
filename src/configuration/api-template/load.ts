import type pg from "pg";
import { findByIdOrName } from "../named.ts";
import { type ApiTemplateRow, apiTemplateStore } from "./store.ts";

/** The template that a step names by its id or its name; undefined: there is none. */
export async function loadApiTemplate(pool: pg.Pool, idOrName: string): Promise<ApiTemplateRow | undefined> {
  return findByIdOrName<ApiTemplateRow>(apiTemplateStore(pool), idOrName);
}
