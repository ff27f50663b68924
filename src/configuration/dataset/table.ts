import { type ColumnType, type DatasetColumn, datasetLimits } from "../../contract/dataset.ts";
import { ApiError, type FaultDetail } from "../../contract/errors.ts";
import { type Cell, fits, Guess, textFault, typeWords } from "./cell.ts";
import { columnFault } from "./columns.ts";

const mostFaults = 20;

interface Column {
  name: string;
  /** As it was given; undefined: to be guessed. */
  type: ColumnType | undefined;
  guess: Guess;
}

/** Where a cell is, for people: rows count from 1. */
export interface RowPlace {
  row: number;
  line?: number;
}

/** The columns of what is read, row after row: checks each cell, and finds out the types of those that have none yet. */
export class Table {
  readonly #columns: Column[] = [];
  readonly #byName = new Map<string, number>();
  readonly #types: ReadonlyMap<string, ColumnType>;
  readonly #faults: FaultDetail[] = [];

  /** @param types of the columns that are not to be guessed */
  constructor(types: ReadonlyMap<string, ColumnType>) {
    this.#types = types;
  }

  /** The position of a column, which is added when it is new. */
  column(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const at = this.#columns.length;
    if (at >= datasetLimits.columns) throw tooMany("columns", datasetLimits.columns);
    const fault = columnFault(name);
    if (fault !== undefined) this.fault(`/columns/${at}`, `${quoted(name)}: the name of a column ${fault}`);
    this.#byName.set(name, at);
    this.#columns.push({ name, type: this.#types.get(name), guess: new Guess() });
    return at;
  }

  get width(): number {
    return this.#columns.length;
  }

  /** Checks a cell, and gives it as it is kept. */
  cell(at: number, place: RowPlace, text: string | null, jsonType?: string): Cell {
    if (text === null) return null;
    const { type, guess } = this.#columns[at]!;
    const bad = textFault(text);
    if (bad !== undefined) this.cellFault(at, place, bad);
    else if (type === undefined) guess.see(text, jsonType);
    else if (!fits(type, text)) {
      this.cellFault(at, place, `has ${quoted(text)}, which is not ${typeWords[type]}.`);
    }
    return text;
  }

  cellFault(at: number, { row, line }: RowPlace, message: string): void {
    const { name } = this.#columns[at]!;
    const where = line === undefined ? `row ${row}` : `row ${row} (line ${line})`;
    this.fault(`/rows/${row - 1}/${escaped(name)}`, `${where}, column ${quoted(name)} ${message}`);
  }

  fault(path: string, message: string): void {
    this.#faults.push({ path, message });
    if (this.#faults.length >= mostFaults) this.refuseFaults();
  }

  get isFaulty(): boolean {
    return this.#faults.length > 0;
  }

  /** @throws ApiError VALIDATION_FAILED with all that was found wrong */
  refuseFaults(): void {
    const [first] = this.#faults;
    if (!first) return;
    const more = this.#faults.length === 1 ? "" : ` (and ${this.#faults.length - 1} more, see details)`;
    throw new ApiError("VALIDATION_FAILED", `The dataset is not valid: ${first.message}${more}`, {
      details: this.#faults,
    });
  }

  /** The columns with their types, when all rows have been seen. @throws ApiError VALIDATION_FAILED */
  finish(): DatasetColumn[] {
    for (const name of this.#types.keys()) {
      if (!this.#byName.has(name)) this.fault("query/column", `there is no column ${quoted(name)}.`);
    }
    if (this.#columns.length === 0) this.fault("", "there are no columns: the upload is empty.");
    this.refuseFaults();
    return this.#columns.map(({ name, type, guess }) => ({ name, type: type ?? guess.type }));
  }
}

export function tooMany(what: string, most: number): ApiError {
  return new ApiError(
    "PAYLOAD_TOO_LARGE",
    `A dataset has ${most} ${what} at most: send fewer, or keep it as a file.`,
  );
}

function quoted(text: string): string {
  const line = text.toWellFormed().replaceAll("\0", "\u2400").replace(/\s+/g, " ");
  return `"${line.length > 40 ? `${line.slice(0, 39).toWellFormed()}…` : line}"`;
}

function escaped(name: string): string {
  return name
    .toWellFormed()
    .replaceAll("\0", "\u2400")
    .replaceAll("~", "~0")
    .replaceAll("/", "~1")
    .slice(0, 100);
}
