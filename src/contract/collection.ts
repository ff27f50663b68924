import Type, { type Static } from "typebox";
import { Id, Strict, Timestamp } from "./shapes.ts";

/** The body of POST and PUT /collection. */
export const CollectionInput = Strict({
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique." }),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true }),
  ),
});
export type CollectionInput = Static<typeof CollectionInput>;

export const Collection = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  jobCount: Type.Integer({ description: "Jobs in it that the caller may see." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
});
export type Collection = Static<typeof Collection>;
