import Type, { type Static } from "typebox";
import { Id, Strict } from "./shapes.ts";

/** A choice of a list: what is shown, and the id it stands for. */
export const NamedOption = Type.Object({ label: Type.String(), value: Id });
export type NamedOption = Static<typeof NamedOption>;

export const BulkDeleteRequest = Strict({
  ids: Type.Array(Id, { minItems: 1, maxItems: 1000, uniqueItems: true }),
});
export const BulkDeleted = Type.Object({
  deleted: Type.Array(Id),
  notFound: Type.Array(Id),
});
export type BulkDeleted = Static<typeof BulkDeleted>;

/** Where something is used. */
export const Usage = Type.Object({
  jobs: Type.Array(
    Type.Object({ id: Id, name: Type.String(), steps: Type.Array(Type.String({ description: "Key." })) }),
    { description: "Those that the caller may see, 100 at most." },
  ),
  totalJobs: Type.Integer({ description: "With those that the caller may not see." }),
});
export type Usage = Static<typeof Usage>;
