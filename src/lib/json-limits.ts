/** A fault in a value: JSON pointer to it, and a sentence. */
export interface JsonFault {
  path: string;
  message: string;
}

export interface JsonLimits {
  /** Objects and arrays within each other, at most. */
  maxDepth: number;
  /** Values in all: what YAML aliases expand to counts each time. */
  maxValues: number;
}

export const defaultJsonLimits: JsonLimits = { maxDepth: 64, maxValues: 1_000_000 };

// As a key they reach the prototype of whatever a careless copy writes to.
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const MAX_FAULTS = 20;

/** Stands for a number of the text that a double can't hold; the walk reports it where it meets it. */
class LostNumber {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/**
 * Parses JSON text and checks it in one go. Throws SyntaxError on what is not JSON; the faults are what parses but can't be kept
 * (PostgreSQL refuses NUL and lone surrogates, numbers lose digits) or is dangerous to walk.
 */
export function parseLimitedJson(
  text: string,
  limits: JsonLimits = defaultJsonLimits,
): { value: unknown; faults: JsonFault[] } {
  const value: unknown = JSON.parse(text);
  // Without an escape, text that is valid UTF-8 can hold neither NUL nor a lone surrogate inside a string.
  const faults = faultsOf(value, limits, text.includes("\\u"));
  if (faults.length > 0 || !mayLoseDigits(text)) return { value, faults };
  // The depth is known to be small by now: a reviver recurses.
  const marked: unknown = JSON.parse(text, markLostNumbers);
  return { value, faults: faultsOf(marked, limits, false) };
}

/** The faults of a value that some other parser made (YAML): the same rules, and only what JSON can say. */
export function jsonFaults(value: unknown, limits: JsonLimits = defaultJsonLimits): JsonFault[] {
  return faultsOf(value, limits, true);
}

/** Two walks: a fast one that only says yes or no, and one that finds the paths of what is wrong. */
function faultsOf(value: unknown, limits: JsonLimits, checkStrings: boolean): JsonFault[] {
  return isClean(value, limits, checkStrings) ? [] : locate(value, limits);
}

function isClean(root: unknown, { maxDepth, maxValues }: JsonLimits, checkStrings: boolean): boolean {
  if (typeof root !== "object" || root === null) return !scalarFault(root);
  const open: object[] = [root];
  const depths: number[] = [1];
  let left = maxValues;
  while (open.length > 0) {
    const node = open.pop()!;
    const depth = depths.pop()!;
    if (depth > maxDepth || !isPlain(node)) return false;
    const isArray = Array.isArray(node);
    const keys = isArray ? undefined : Object.keys(node);
    const length = isArray ? node.length : keys!.length;
    left -= length;
    if (left < 0) return false;
    for (let i = 0; i < length; i++) {
      let child: unknown;
      if (isArray) child = node[i];
      else {
        const key = keys![i]!;
        if (FORBIDDEN_KEYS.has(key) || (checkStrings && badText(key))) return false;
        child = (node as Record<string, unknown>)[key];
      }
      if (typeof child === "string") {
        if (checkStrings && badText(child)) return false;
      } else if (typeof child === "object" && child !== null) {
        open.push(child);
        depths.push(depth + 1);
      } else if (scalarFault(child) !== undefined) return false;
    }
  }
  return true;
}

interface Place {
  value: unknown;
  depth: number;
  parent: Place | undefined;
  key: string | number;
}

function locate(root: unknown, { maxDepth, maxValues }: JsonLimits): JsonFault[] {
  const faults: JsonFault[] = [];
  const add = (place: Place | undefined, message: string) => faults.push({ path: pointer(place), message });
  const open: Place[] = [{ value: root, depth: 1, parent: undefined, key: "" }];
  let left = maxValues;
  while (open.length > 0 && faults.length < MAX_FAULTS) {
    const place = open.pop()!;
    const { value, depth } = place;
    if (typeof value !== "object" || value === null || value instanceof LostNumber) {
      const message = scalarFault(value);
      if (message !== undefined) add(place, message);
      continue;
    }
    if (!isPlain(value)) {
      add(place, "must be a value that JSON has: an object, array, string, number, boolean or null.");
      continue;
    }
    if (depth > maxDepth) {
      add(place, `is nested deeper than ${maxDepth} levels.`);
      continue;
    }
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    left -= entries.length;
    if (left < 0) {
      add(undefined, `holds more than ${maxValues} values.`);
      break;
    }
    // Reversed, so that faults come in the order of the text.
    for (const [key, child] of entries.reverse()) {
      open.push({ value: child, depth: depth + 1, parent: place, key });
    }
    if (!Array.isArray(value)) for (const key of Object.keys(value)) checkKey(place, key, add);
  }
  return faults;
}

function checkKey(place: Place, key: string, add: (place: Place, message: string) => void): void {
  if (FORBIDDEN_KEYS.has(key)) add({ ...place, parent: place, key }, "is a key that is not allowed.");
  else if (badText(key)) add(place, `has a key that ${badText(key)}`);
}

function scalarFault(value: unknown): string | undefined {
  switch (typeof value) {
    case "string": {
      const bad = badText(value);
      return bad && `${bad}`;
    }
    case "number":
      return Number.isFinite(value) ? undefined : "is a number that is too large to keep.";
    case "boolean":
      return undefined;
    default:
      if (value === null) return undefined;
      if (value instanceof LostNumber) {
        return "is a number that can't be kept exactly; send it as a string.";
      }
      return "must be a value that JSON has: an object, array, string, number, boolean or null.";
  }
}

function badText(text: string): string | undefined {
  if (text.includes("\0")) return "contains a NUL character, which can't be kept.";
  if (!text.isWellFormed()) return "contains half of a surrogate pair, which is no character.";
  return undefined;
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Long runs of digits and large exponents, inside strings too: a text that has none needs no second parse. */
function mayLoseDigits(text: string): boolean {
  return /\d{16}|\d[eE][+-]?\d{3}/.test(text);
}

function markLostNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== "number" || source === undefined) return value;
  if (/^-?\d{16,}$/.test(source) && BigInt(source) !== BigInt(value)) return new LostNumber(source);
  // Too small for a double: it would be kept as zero.
  if (value === 0 && /^-?[\d.]*[1-9]/.test(source)) return new LostNumber(source);
  return value;
}

function pointer(place: Place | undefined): string {
  const parts: string[] = [];
  for (let at = place; at?.parent !== undefined; at = at.parent) {
    parts.push(
      String(at.key).toWellFormed().replaceAll("\0", "\u2400").replaceAll("~", "~0").replaceAll("/", "~1"),
    );
  }
  return parts
    .reverse()
    .map((part) => `/${part}`)
    .join("");
}
