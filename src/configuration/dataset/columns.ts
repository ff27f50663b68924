import { type ColumnType, columnTypes, type DatasetColumn, datasetLimits } from "../../contract/dataset.ts";
import type { FaultDetail } from "../../contract/errors.ts";
import { didYouMean } from "../../lib/did-you-mean.ts";

/** Stands for the number of a row in filters. */
export const rowNumber = "_row";

// Rows are objects by the names of their columns.
const forbidden = [rowNumber, "__proto__", "constructor", "prototype"];

/** What is wrong with the name of a column; undefined: nothing. */
export function columnFault(name: string): string | undefined {
  if (name === "") return "must not be empty.";
  if (name.length > datasetLimits.columnChars)
    return `must have ${datasetLimits.columnChars} characters at most.`;
  if (forbidden.includes(name)) return "is a name that no column can have.";
  if (name.includes("\0") || !name.isWellFormed()) return "contains a character that can't be kept.";
  return undefined;
}

/** The faults of a list of columns, all of which have types. */
export function columnFaults(columns: readonly DatasetColumn[]): FaultDetail[] {
  return columns.flatMap(({ name }, i) => {
    const twice = columns.findIndex((other) => other.name === name) < i;
    const fault = twice ? "is the name of another column too." : columnFault(name);
    return fault === undefined ? [] : [{ path: `/columns/${i}/name`, message: fault }];
  });
}

/** Types by the names of their columns, as `column=amount:number` gives them. */
export function givenTypes(texts: readonly string[]): {
  types: Map<string, ColumnType>;
  faults: FaultDetail[];
} {
  const types = new Map<string, ColumnType>();
  const faults: FaultDetail[] = [];
  for (const [i, text] of texts.entries()) {
    const at = text.lastIndexOf(":");
    const [name, word] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
    const type = columnTypes.find((each) => each === word);
    if (at < 1 || type === undefined) {
      const message = `must be a name and a type, such as amount:number; the types are ${columnTypes.join(", ")}.${didYouMean(word, columnTypes)}`;
      faults.push({ path: `query/column/${i}`, message });
    } else if (types.has(name)) {
      faults.push({ path: `query/column/${i}`, message: `has the column "${name}" twice.` });
    } else types.set(name, type);
  }
  return { types, faults };
}
