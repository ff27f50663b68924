/** What a file with a table is sent as. */
export interface TableFile {
  file: File;
  type: "text/csv" | "application/json" | "application/x-ndjson";
  /** Of a CSV, where the name says it. */
  delimiter?: "tab";
}

export const accepted = ".csv,.tsv,.json,.ndjson,.jsonl,text/csv,application/json";

/** How to send a file; by the end of its name, which is all that browsers agree on. */
export function tableFileOf(file: File): TableFile {
  const end = file.name.toLowerCase().split(".").at(-1);
  if (end === "json") return { file, type: "application/json" };
  if (end === "ndjson" || end === "jsonl") return { file, type: "application/x-ndjson" };
  if (end === "tsv" || end === "tab") return { file, type: "text/csv", delimiter: "tab" };
  return { file, type: "text/csv" };
}

/** The name of a file without its end. */
export function baseName({ name }: File): string {
  return name.replace(/\.[^.]{1,6}$/, "").slice(0, 200) || name.slice(0, 200);
}
