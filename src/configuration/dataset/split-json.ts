import { ApiError } from "../../contract/errors.ts";

const maxDepth = 64;
/** As long as a row with every cell at its longest would hardly be. */
const longestObject = 1024 * 1024;

/**
 * The texts of the objects in a JSON array, or of those that follow each other (a line each), as they come: nothing is
 * parsed here, and no more is held than one object and those that end in the piece that has just come.
 */
export async function* splitJson(text: AsyncIterable<string>): AsyncGenerator<string[]> {
  const state = { inArray: false, ended: false, expectsItem: true, items: 0 };
  let held = "";
  let open: Scan | undefined;
  for await (const piece of text) {
    const objects: string[] = [];
    let at = 0;
    while (at < piece.length) {
      if (open) {
        const end = scan(open, piece, at, state.items);
        held += piece.slice(at, end);
        if (held.length > longestObject) throw invalid(`row ${state.items + 1} is longer than 1 MiB`);
        if (open.depth === 0) {
          objects.push(held);
          open = undefined;
          state.items++;
        }
        at = end;
      } else if (between(state, piece[at]!)) {
        held = "";
        open = { depth: 0, inString: false, escaped: false };
      } else at++;
    }
    yield objects;
  }
  if (open) throw invalid(`it ends within row ${state.items + 1}`);
  if (state.inArray && !state.ended) throw invalid("it ends before the ] of its array");
}

interface Scan {
  depth: number;
  inString: boolean;
  escaped: boolean;
}

/** Goes through an object, and answers where it ends, or the piece does. */
function scan(open: Scan, piece: string, from: number, items: number): number {
  for (let at = from; at < piece.length; at++) {
    const sign = piece.charCodeAt(at);
    if (open.inString) {
      if (open.escaped) open.escaped = false;
      else if (sign === 0x5c) open.escaped = true;
      else if (sign === 0x22) open.inString = false;
    } else if (sign === 0x22) open.inString = true;
    else if (sign === 0x7b || sign === 0x5b) {
      open.depth++;
      if (open.depth > maxDepth) throw invalid(`row ${items + 1} is nested deeper than ${maxDepth} levels`);
    } else if (sign === 0x7d || sign === 0x5d) {
      open.depth--;
      if (open.depth === 0) return at + 1;
    }
  }
  return piece.length;
}

/** What stands between the objects; true where one begins. */
function between(
  state: { inArray: boolean; ended: boolean; expectsItem: boolean; items: number },
  sign: string,
): boolean {
  if (/\s/.test(sign) || sign === "\ufeff") return false;
  const what = `row ${state.items + 1}`;
  if (state.ended) throw invalid("something follows the ] of its array");
  if (sign === "{") {
    if (!state.expectsItem) throw invalid(`a comma is missing before ${what}`);
    state.expectsItem = !state.inArray;
    return true;
  }
  if (sign === "[" && !state.inArray && state.items === 0) state.inArray = true;
  else if (sign === "," && state.inArray && !state.expectsItem) state.expectsItem = true;
  else if (sign === "]" && state.inArray && (!state.expectsItem || state.items === 0)) state.ended = true;
  else throw invalid(`${what} is not an object: send an array of objects, or an object on each line`);
  return false;
}

function invalid(what: string): ApiError {
  return new ApiError("MALFORMED_JSON", `The JSON can't be read: ${what}.`);
}
