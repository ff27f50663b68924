import type { ApiTemplateInput } from "../../contract/api-template.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import { noSuch, refusingTakenNames, requireVersion } from "../named.ts";
import type { RecordUsage } from "../usage.ts";
import { templateFaults } from "./faults.ts";
import type { ApiTemplateRow, ApiTemplateStore } from "./store.ts";

export interface ApiTemplateDeps {
  store: ApiTemplateStore;
  usageOf: RecordUsage;
}

export interface UpsertedApiTemplate {
  template: ApiTemplateRow;
  outcome: "created" | "changed" | "unchanged";
  /** Names of the fields that differ from before. */
  changed: string[];
}

const mostTries = 5;

/**
 * Creates the template, or changes the one of its name (or of its id). Of two at once, one creates and the other changes.
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND (an id that is not there), CONFLICT (the name is taken, or another
 * version is current)
 */
export async function upsertApiTemplate(
  { store }: ApiTemplateDeps,
  principal: Principal,
  input: ApiTemplateInput,
  expectedVersion?: number,
): Promise<UpsertedApiTemplate> {
  throwFaults(templateFaults(input));
  const key = input.id === undefined ? { name: input.name } : { id: input.id };
  for (let tried = 0; tried < mostTries; tried++) {
    const done = await refusingTakenNames("API template", "api_template_name", input.name, () =>
      store.transaction(async (client): Promise<UpsertedApiTemplate | undefined> => {
        const current = await store.lock(client, key);
        if (current) requireVersion("API template", current, expectedVersion);
        else requireCreatable(input, expectedVersion);
        const row = rowOf(principal, input, current);
        const changed = changedFields(row, current);
        if (current && changed.length === 0) return { template: current, outcome: "unchanged", changed };
        if (current) await store.update(client, row);
        else if (!(await store.insert(client, row))) return undefined;
        return { template: row, outcome: current ? "changed" : "created", changed };
      }),
    );
    if (done) return done;
  }
  throw new ApiError("CONFLICT", "The API template is created and deleted by others just now. Try again.");
}

/** Who names an id or a version means a template that is there. */
function requireCreatable({ id, name }: ApiTemplateInput, expectedVersion: number | undefined): void {
  if (id !== undefined) throw noSuch("API template");
  if (expectedVersion === undefined) return;
  throw new ApiError(
    "CONFLICT",
    `There is no API template named "${name}" any more: it was deleted or renamed.`,
  );
}

function rowOf(
  principal: Principal,
  input: ApiTemplateInput,
  current: ApiTemplateRow | undefined,
): ApiTemplateRow {
  const { name, description = "", category = "", connectionType = "rest-api", method, path } = input;
  const { headers = {}, query = {}, body = null, parameters = {} } = input;
  const now = new Date();
  return {
    ...{ id: current?.id ?? newId(), name, description, category, connectionType, method, path },
    definition: { headers, query, body, parameters },
    version: (current?.version ?? 0) + 1,
    createdAt: current?.createdAt ?? now,
    createdBy: current?.createdBy ?? principal.name,
    updatedAt: now,
    updatedBy: principal.name,
  };
}

function changedFields(row: ApiTemplateRow, current: ApiTemplateRow | undefined): string[] {
  const texts = ["name", "description", "category", "connectionType", "method", "path"] as const;
  const parts = ["headers", "query", "body", "parameters"] as const;
  // As text: two objects that say the same in another order differ, which does no harm.
  const text = (definition: ApiTemplateRow["definition"] | undefined, part: (typeof parts)[number]) =>
    JSON.stringify(definition?.[part]);
  return [
    ...texts.filter((field) => row[field] !== current?.[field]),
    ...parts.filter((part) => text(row.definition, part) !== text(current?.definition, part)),
  ];
}
