import Type, { type Static } from "typebox";
import { Id, patterns, Strict, Timestamp } from "./shapes.ts";

const value = Type.Unknown({ description: "Any JSON of 64 KiB at most; of a secret, a text." });

/** The body of POST /global-variable/upsert. */
export const VariableInput = Strict({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Changes this variable, its name included. Left out, the name says which.",
    }),
  ),
  name: Type.String({ pattern: patterns.key, description: "Unique; expressions say vars.<name>." }),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  secret: Type.Optional(
    Type.Boolean({ description: "Sealed, and never answered in the clear. Left out: as before, or false." }),
  ),
  value: Type.Optional(value),
});
export type VariableInput = Static<typeof VariableInput>;

export const Variable = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  secret: Type.Boolean(),
  value: Type.Unknown({ description: "Of a secret: ENC(…), sealed for this variable." }),
  version: Type.Integer({ description: "Counts the changes, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
});
export type Variable = Static<typeof Variable>;

/** What a step is given: the only answer with a secret variable in the clear. */
export const DecryptedVariable = Type.Object({
  id: Id,
  name: Type.String(),
  secret: Type.Boolean(),
  value: Type.Unknown({ description: "In the clear." }),
});
export type DecryptedVariable = Static<typeof DecryptedVariable>;

export const DecryptVariables = Strict({
  names: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { minItems: 1, maxItems: 100 }),
});

export const VariableItem = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  secret: Type.Boolean(),
  updatedAt: Timestamp,
});
export type VariableItem = Static<typeof VariableItem>;
