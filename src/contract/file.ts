import Type, { type Static } from "typebox";
import { Id, Timestamp } from "./shapes.ts";

export const FileName = Type.String({ minLength: 1, maxLength: 200 });

/** What is known of a file; its bytes have a route of their own. */
export const StoredFile = Type.Object({
  id: Id,
  name: Type.String(),
  description: Type.String(),
  contentType: Type.String({ description: "As it was uploaded with." }),
  size: Type.Integer({ description: "In bytes." }),
  sha256: Type.String({ description: "Of the bytes, in hex." }),
  version: Type.Integer({ description: "Counts the uploads, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
});
export type StoredFile = Static<typeof StoredFile>;

/** A file as a step reads it. */
export interface OpenedFile {
  file: StoredFile;
  /** Can be read more than once, each time from its beginning. */
  bytes: AsyncIterable<Uint8Array>;
}
