import { extname } from "node:path";

const types: Record<string, string> = {
  csv: "text/csv",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  gif: "image/gif",
  gz: "application/gzip",
  html: "text/html",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "application/json",
  md: "text/markdown",
  ndjson: "application/x-ndjson",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain",
  webp: "image/webp",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
  zip: "application/zip",
};

/** What a name's ending says of the file; plain bytes where it says nothing. */
export function mediaTypeOf(name: string): string {
  const ending = extname(name).slice(1).toLowerCase();
  return (Object.hasOwn(types, ending) && types[ending]) || "application/octet-stream";
}
