import type { DatasetColumn, DatasetInput } from "../../contract/dataset.ts";
import { ApiError } from "../../contract/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import { noSuch, refusingTakenNames, requireVersion } from "../named.ts";
import { columnFaults } from "./columns.ts";
import type { DatasetRecord } from "./store.ts";
import type { DatasetDeps } from "./upload.ts";

export interface UpsertedDataset {
  dataset: DatasetRecord;
  outcome: "created" | "changed" | "unchanged";
  /** Names of the fields that differ from before. */
  changed: string[];
}

const mostTries = 5;
/** Its record is written at once. */
const emptyKeptMs = 60_000;

/**
 * Makes an empty dataset with these columns, or changes the name and description of the one of its name (or of its id).
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND (an id that is not there), CONFLICT (the name is taken, or another version is
 * current)
 */
export async function upsertDataset(
  deps: DatasetDeps,
  principal: Principal,
  input: DatasetInput,
  expectedVersion?: number,
): Promise<UpsertedDataset> {
  const { store, contents } = deps;
  throwFaults(columnFaults(input.columns ?? []));
  const key = input.id === undefined ? { name: input.name } : { id: input.id };
  for (let tried = 0; tried < mostTries; tried++) {
    const contentId = (await store.find(key)) ? undefined : await contents.begin(emptyKeptMs);
    const done = await refusingTakenNames("dataset", "dataset_name", input.name, () =>
      store.transaction(async (client): Promise<UpsertedDataset | undefined> => {
        const current = await store.lock(client, key);
        if (!current) {
          if (input.id !== undefined || expectedVersion !== undefined) throw noSuch("dataset");
          // There was one a moment ago.
          if (contentId === undefined) return undefined;
          const made = newDataset(principal, input, contentId);
          if (!(await store.insert(client, made))) return undefined;
          await contents.keep(client, contentId);
          return { dataset: made, outcome: "created", changed: ["name", "description", "columns"] };
        }
        requireVersion("dataset", current, expectedVersion);
        requireColumns(current.columns, input.columns);
        const { name, description = "" } = input;
        const changed = [
          ...(current.name === name ? [] : ["name"]),
          ...(current.description === description ? [] : ["description"]),
        ];
        if (changed.length === 0) return { dataset: current, outcome: "unchanged", changed };
        const version = current.version + 1;
        const dataset = {
          ...current,
          name,
          description,
          version,
          updatedAt: new Date(),
          updatedBy: principal.name,
        };
        await store.update(client, dataset);
        return { dataset, outcome: "changed", changed };
      }),
    ).finally(() => contentId && contents.drop(contentId).catch(() => {}));
    if (done) return done;
  }
  throw new ApiError("CONFLICT", "The dataset is created and deleted by others just now. Try again.");
}

function newDataset(
  principal: Principal,
  { name, description = "", columns }: DatasetInput,
  contentId: string,
) {
  if (columns === undefined) {
    throwFaults([{ path: "/columns", message: "is required for a new dataset." }]);
  }
  const now = new Date();
  return {
    id: newId(),
    name,
    description,
    columns: columns!,
    rowCount: 0,
    size: 0,
    contentId,
    version: 1,
    createdAt: now,
    createdBy: principal.name,
    updatedAt: now,
    updatedBy: principal.name,
  };
}

/** Rows are kept for the columns that there are. */
function requireColumns(
  current: readonly DatasetColumn[],
  given: readonly DatasetColumn[] | undefined,
): void {
  if (given === undefined) return;
  const same =
    given.length === current.length &&
    given.every(({ name, type }, i) => current[i]!.name === name && current[i]!.type === type);
  if (same) return;
  throwFaults([{ path: "/columns", message: "can't be changed: upload the dataset anew, or make another." }]);
}
