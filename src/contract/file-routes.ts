import Type from "typebox";
import { BulkDeleted, BulkDeleteRequest, NamedOption, Usage } from "./configuration.ts";
import { FileName, StoredFile } from "./file.ts";
import { Forced } from "./forced.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta } from "./shapes.ts";

const byId = Type.Object({ id: Id });
const digest = {
  "content-md5": Type.Optional(Type.String({ maxLength: 100, description: "In base64 (RFC 1864)." })),
  "content-digest": Type.Optional(
    Type.String({ maxLength: 500, description: "sha-256=:…: or sha-512=:…:, in base64 (RFC 9530)." }),
  ),
};

const FileUpload = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique." }),
  description: Type.Optional(
    Type.String({ maxLength: 4000, description: "Left out, the one that is there stays." }),
  ),
  onExisting: Type.Optional(
    Type.Enum(["replace", "fail"], { default: "replace", description: "What to do when the name is taken." }),
  ),
  expectedVersion: Type.Optional(
    Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
  ),
});

/** Files: kept whole, found by name, read by steps. */
export const fileRoutes = {
  uploadFile: {
    method: "POST",
    path: "/file/upload",
    access: "ConfigService:File:upsert",
    tag: "Files",
    audits: "file",
    summary: "Upload a file, or replace the one of this name",
    description:
      "The body is the file, whatever its type, at most PAWL_FILE_LIMIT; 201 when it is created. It is taken over at once when all of it is there: nobody sees half of it. A digest that is sent with it is checked.",
    query: FileUpload,
    headers: Type.Object(digest),
    takesBytes: ["*/*"],
    data: StoredFile,
    alsoAnswers: { 201: "Created" },
    errors: ["CONFLICT"],
  },
  listFileOptions: {
    method: "GET",
    path: "/file/options",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "List files as choices, by name",
    data: Type.Array(NamedOption),
    bare: true,
    errors: [],
  },
  searchFiles: {
    method: "POST",
    path: "/file/search",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "Find files",
    description: `Fields to filter and sort by: ${searchFields.searchFiles.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(StoredFile),
    meta: Meta,
    errors: [],
  },
  deleteFiles: {
    method: "POST",
    path: "/file/bulk-delete",
    access: "ConfigService:File:delete",
    tag: "Files",
    audits: "file",
    summary: "Delete files, all or none",
    description: "409 when jobs refer to one of them, unless forced.",
    query: Forced,
    body: BulkDeleteRequest,
    data: BulkDeleted,
    errors: ["INVALID_STATE"],
  },
  getFileByName: {
    method: "GET",
    path: "/file/name/:fileName",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "Read what is known of a file, by its name",
    params: Type.Object({ fileName: FileName }),
    data: StoredFile,
    errors: ["NOT_FOUND"],
  },
  deleteFile: {
    method: "DELETE",
    path: "/file/delete/:id",
    access: "ConfigService:File:delete",
    tag: "Files",
    audits: "file",
    summary: "Delete a file",
    description: "409 when jobs refer to it, unless forced.",
    params: byId,
    query: Forced,
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  getFile: {
    method: "GET",
    path: "/file/:id",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "Read what is known of a file",
    params: byId,
    data: StoredFile,
    errors: ["NOT_FOUND"],
  },
  downloadFile: {
    method: "GET",
    path: "/file/:id/content",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "Download a file",
    description:
      "Always as an attachment, and as plain bytes when its type is one that browsers act on. One Range is served; If-Range and the ETag go by the hash.",
    params: byId,
    headers: Type.Object({
      range: Type.Optional(
        Type.String({ description: "bytes=<first>-<last>; any other form gets the whole." }),
      ),
      "if-range": Type.Optional(Type.String()),
    }),
    data: Type.String(),
    givesBytes: true,
    alsoAnswers: { 206: "The range that was asked for" },
    errors: ["NOT_FOUND"],
  },
  getFileUsage: {
    method: "GET",
    path: "/file/:id/usage",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "List the jobs that refer to a file",
    description: "By its id or its name, written out in the input of a step.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  fileExists: {
    method: "GET",
    path: "/file/:name/exists",
    access: "ConfigService:File:read",
    tag: "Files",
    summary: "Tell whether there is a file of this name",
    params: Type.Object({ name: FileName }),
    query: Type.Object({
      id: Type.Optional(Type.String({ format: "uuid", description: "Leaves this file out." })),
    }),
    data: Type.Boolean(),
    errors: [],
  },
} as const satisfies Record<string, Route>;
