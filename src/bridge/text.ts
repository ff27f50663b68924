/**
 * Characters that people don't see and models read: controls, marks and overrides of direction, zero-width spaces, tags, variation
 * selectors. Names, descriptions, errors and outputs are other people's text. Line ends stay, and what emoji, Persian and Arabic
 * numbers are written with.
 */
const hidden =
  /[[\p{Cc}\p{Cf}\u2028\u2029\ufe00-\ufe0e\u{e0100}-\u{e01ef}]--[\t\n\r\u200c\u200d\u0600-\u0605\u06dd]]/gv;

/** The text without hidden characters, and no longer than this. */
export function clean(text: string, longest: number): string {
  const plain = text.toWellFormed().replace(hidden, "");
  return plain.length <= longest ? plain : `${plain.slice(0, longest - 1).toWellFormed()}…`;
}

/** Every text in a JSON value without hidden characters, names of fields included. */
export function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed().replace(hidden, "");
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name.toWellFormed().replace(hidden, ""), cleanJson(inner)]),
  );
}
