import pg from "pg";
import { exactNumber, finiteNumber } from "./json-value.ts";

type Parse = (text: string) => unknown;

const TEXT_ARRAY = 1009;
const listOfTexts = pg.types.getTypeParser(TEXT_ARRAY as never) as Parse;

/** By the number of the type in PostgreSQL. Of all others the text as the database writes it. */
const parsers = new Map<number, Parse>([
  [16, (text) => text === "t"],
  [17, (text) => Buffer.from(text.slice(2), "hex").toString("base64")],
  [20, exactNumber],
  [21, Number],
  [23, Number],
  [26, Number],
  [114, parseJson],
  [3802, parseJson],
  [700, finiteNumber],
  [701, finiteNumber],
  [1700, exactNumber],
  [1114, (text) => text.replace(" ", "T")],
  [1184, instant],
]);
// Their lists.
for (const [list, item] of [
  [1000, 16],
  [1001, 17],
  [1016, 20],
  [1005, 21],
  [1007, 23],
  [1028, 26],
  [199, 114],
  [3807, 3802],
  [1021, 700],
  [1022, 701],
  [1231, 1700],
  [1115, 1114],
  [1185, 1184],
] as const) {
  parsers.set(list, (text) => each(listOfTexts(text), parsers.get(item)!));
}
for (const list of [TEXT_ARRAY, 1002, 1014, 1015, 1182, 2951]) parsers.set(list, listOfTexts);

/** How values come out of PostgreSQL: as JSON has them, and none of them rounded. */
export const postgresTypes = {
  getTypeParser: (type: number) => parsers.get(type) ?? ((text: string) => text),
} as unknown as pg.CustomTypesConfig;

function each(value: unknown, parse: Parse): unknown {
  if (Array.isArray(value)) return value.map((item) => each(item, parse));
  return value === null ? null : parse(String(value));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A point in time, as the rest of the API writes it. What JavaScript can't hold (infinity, the year 20000) stays as it is. */
function instant(text: string): string {
  const [, day, time, hours, minutes = "00"] =
    /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  return day === undefined ? text : new Date(`${day}T${time}${hours}:${minutes}`).toISOString();
}
