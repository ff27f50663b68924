import type { StoredFile } from "../../contract/file.ts";
import type { FileRow } from "./store.ts";

export function presentFile(row: FileRow): StoredFile {
  const { id, name, description, contentType, size, sha256, version, createdBy, updatedBy } = row;
  return {
    id,
    name,
    description,
    contentType,
    size,
    sha256,
    version,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}
