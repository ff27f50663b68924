import { CsvError, type Parser, parse } from "csv-parse";
import { datasetLimits } from "../../contract/dataset.ts";
import { ApiError } from "../../contract/errors.ts";

export interface CsvRecord {
  cells: string[];
  /** Of the text, from 1: where it ends. */
  line: number;
}

export const delimiters = { comma: ",", semicolon: ";", tab: "\t", pipe: "|" } as const;

/** Beyond the first of these characters no line is looked for. */
const firstLineChars = 65_536;

/** The records of a CSV as it comes: many at a time, since to wait for each costs more than to read it. */
export async function* readCsv(
  text: AsyncIterable<string>,
  delimiter: keyof typeof delimiters | undefined,
): AsyncGenerator<CsvRecord[]> {
  const source = text[Symbol.asyncIterator]();
  const { start, ended } = await firstLine(source);
  const parser = parse({
    delimiter: delimiter === undefined ? mostFrequent(start) : delimiters[delimiter],
    info: true,
    // How many there must be is known from the first record, and the fault is ours to name.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: datasetLimits.columns * 4 * 1024,
  });
  let failure: Error | undefined;
  parser.on("error", (error) => {
    failure = error;
  });
  const pieces = async function* () {
    yield start;
    if (!ended) yield* { [Symbol.asyncIterator]: () => source };
  };
  try {
    for await (const piece of pieces()) {
      if (failure) throw failure;
      parser.write(piece);
      yield readable(parser);
    }
    parser.end();
    const last: CsvRecord[] = [];
    for await (const record of parser as AsyncIterable<Read>) last.push(recordOf(record));
    yield last;
  } catch (error) {
    throw error instanceof CsvError ? asFault(error) : error;
  } finally {
    parser.destroy();
  }
}

interface Read {
  record: string[];
  info: { lines: number };
}

function readable(parser: Parser): CsvRecord[] {
  const records: CsvRecord[] = [];
  for (let read = parser.read(); read !== null; read = parser.read()) records.push(recordOf(read as Read));
  return records;
}

function recordOf({ record, info }: Read): CsvRecord {
  return { cells: record, line: info.lines };
}

async function firstLine(source: AsyncIterator<string>): Promise<{ start: string; ended: boolean }> {
  let start = "";
  while (start.length < firstLineChars && !/[\r\n]/.test(start)) {
    const { value, done } = await source.next();
    if (done) return { start, ended: true };
    start += value;
  }
  return { start, ended: false };
}

/** Of what may be between the cells whatever the first line has most of, outside of quotes. */
function mostFrequent(start: string): string {
  const line = start.split(/[\r\n]/, 1)[0]!.replace(/"[^"]*"/g, "");
  const counted = Object.values(delimiters).map((sign) => [sign, line.split(sign).length] as const);
  return counted.reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function asFault(error: CsvError): ApiError {
  const line = (error as { lines?: number }).lines;
  const at = line === undefined ? "" : ` near line ${line}`;
  const words: Record<string, string> = {
    CSV_QUOTE_NOT_CLOSED: "a quote is opened and never closed",
    CSV_INVALID_CLOSING_QUOTE: "something follows a closing quote: a quote within a cell is written twice",
    INVALID_OPENING_QUOTE:
      "a quote stands within a cell that does not begin with one: quote the whole cell, and write the quote twice",
    CSV_MAX_RECORD_SIZE: "a row is too long, or a quote is never closed",
  };
  const what = words[error.code] ?? "it is not CSV";
  return new ApiError("VALIDATION_FAILED", `The CSV can't be read${at}: ${what}.`);
}
