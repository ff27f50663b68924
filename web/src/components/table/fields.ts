import type { MatchMode } from "@contract/search.ts";

/** A field that a table can be filtered by. */
export interface FilterField {
  name: string;
  label: string;
  kind: "text" | "number" | "duration" | "time" | "choice" | "tags" | "id";
  /** Of a choice. */
  options?: { value: string; label: string }[];
}

const words: Record<MatchMode, string> = {
  equals: "is",
  notEquals: "is not",
  contains: "contains",
  notContains: "does not contain",
  startsWith: "begins with",
  endsWith: "ends with",
  in: "is one of",
  gt: "is more than",
  lt: "is less than",
  gte: "is at least",
  lte: "is at most",
  between: "is between",
};

const timeWords: Partial<Record<MatchMode, string>> = {
  gte: "is after",
  lte: "is before",
  between: "is between",
};

const modes: Record<FilterField["kind"], MatchMode[]> = {
  text: ["contains", "notContains", "equals", "notEquals", "startsWith", "endsWith"],
  number: ["gte", "lte", "equals", "between"],
  duration: ["gte", "lte", "between"],
  time: ["gte", "lte", "between"],
  choice: ["in", "notEquals"],
  tags: ["contains", "notContains"],
  id: ["equals"],
};

/** The ways in which a field can be matched; the first is the one to begin with. */
export function modesOf(field: FilterField): { value: MatchMode; label: string }[] {
  return modes[field.kind].map((value) => ({ value, label: wordOf(field, value) }));
}

export function wordOf(field: FilterField | undefined, mode: MatchMode): string {
  return (field?.kind === "time" && timeWords[mode]) || words[mode];
}
