import Type, { type Static } from "typebox";
import { Id, Nullable, OneOf, Timestamp } from "./shapes.ts";

export const VaultRotation = Type.Object({
  id: Id,
  keyId: Type.String({ description: "The key that takes over." }),
  startedBy: Type.String(),
  startedAt: Timestamp,
  finishedAt: Nullable(Timestamp),
  total: Type.Integer({ description: "Values to seal anew; 0 until the new key is in use everywhere." }),
  done: Type.Integer(),
  unreadable: Type.Integer({ description: "Values that no key opens: they stay as they are." }),
});

export const VaultState = Type.Object({
  masterKey: Type.Object({
    id: Type.String({ description: "Tells master keys apart, and nothing of them." }),
    inForce: Type.Boolean({
      description: "False: the keys are under the previous one yet; rewrap changes that.",
    }),
  }),
  keys: Type.Array(
    Type.Object({
      id: Type.String(),
      state: OneOf(["pending", "active", "retired", "locked"], {
        description: "pending: not in use yet; retired: opens only; locked: its master key is not here.",
      }),
      createdAt: Timestamp,
      activatedAt: Nullable(Timestamp),
      seals: Type.Integer({ description: "How often it has sealed, about." }),
      values: Type.Integer({ description: "Values that it seals now." }),
    }),
  ),
  values: Type.Integer(),
  processes: Type.Integer(),
  rotation: Nullable(VaultRotation),
});
export type VaultState = Static<typeof VaultState>;

export const RewrapResult = Type.Object({
  keys: Type.Integer({ description: "Keys that were wrapped anew." }),
});
export type RewrapResult = Static<typeof RewrapResult>;
