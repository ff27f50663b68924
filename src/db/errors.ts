/** What can be wrong with the database when Pawl starts; each is told to the operator with what to do next. */
export type DatabaseErrorCode =
  | "DATA_DIRECTORY_LOCKED"
  | "DATA_DIRECTORY_UNUSABLE"
  | "POSTGRES_BINARIES_MISSING"
  | "POSTGRES_INIT_FAILED"
  | "POSTGRES_START_FAILED"
  | "POSTGRES_DATA_VERSION"
  | "SERVER_UNREACHABLE"
  | "SERVER_TOO_OLD"
  | "SERVER_ENCODING"
  | "SCHEMA_NEWER"
  | "MIGRATION_EDITED"
  | "MIGRATION_OUT_OF_ORDER"
  | "MIGRATION_FAILED"
  | "MIGRATION_FILES";

/** A fault of the database or its schema that stops Pawl from starting. The message is for an operator. */
export class DatabaseError extends Error {
  readonly code: DatabaseErrorCode;

  constructor(code: DatabaseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "DatabaseError";
    this.code = code;
  }
}
