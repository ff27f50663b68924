import { type Document, isMap, isScalar, parseDocument, stringify, visit } from "yaml";
import { ApiError, type FaultDetail } from "../contract/errors.ts";
import { throwFaults } from "../http/validate.ts";
import { jsonFaults } from "../lib/json-limits.ts";
import { runWithin, TookTooLong } from "../lib/run-within.ts";

// A megabyte of well chosen YAML takes two seconds to read.
const MAX_CHARACTERS = 256 * 1024;
const MAX_MS = 2000;
const MAX_ALIASES = 100;
const MAX_EXPANDED = 1024 * 1024;

/**
 * Reads YAML 1.2 as data: what JSON can hold, no tags of other kinds, no key twice, aliases within bounds.
 * @throws ApiError MALFORMED_JSON, VALIDATION_FAILED, PAYLOAD_TOO_LARGE
 */
export function parseYaml(text: string): unknown {
  if (text.length > MAX_CHARACTERS) {
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      `The YAML has more than ${MAX_CHARACTERS} characters. Send it as JSON.`,
    );
  }
  try {
    return runWithin(MAX_MS, () => read(text));
  } catch (error) {
    if (error instanceof TookTooLong) throw malformed("it takes too long to read; send it as JSON.");
    throw error;
  }
}

function read(text: string): unknown {
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    // Its own check compares each key with all others.
    uniqueKeys: false,
    intAsBigInt: true,
  });
  const [problem] = [...document.errors, ...document.warnings];
  // After the first line it shows an excerpt of the text.
  if (problem) throw malformed(`${problem.message.split("\n")[0]!.replace(/:$/, "")}.`);
  throwFaults(keyFaults(document));
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: MAX_ALIASES, reviver: (_key, item) => plainNumber(item) });
  } catch (error) {
    // An alias to what holds it has no end.
    if (error instanceof RangeError) throw malformed("an alias holds itself, or the nesting is too deep.");
    throw malformed(`${(error as Error).message}.`);
  }
  throwFaults(jsonFaults(value));
  if (JSON.stringify(value).length > MAX_EXPANDED) {
    throw new ApiError(
      "PAYLOAD_TOO_LARGE",
      "The YAML holds more than a megabyte once its aliases are resolved.",
    );
  }
  return value;
}

function keyFaults(document: Document): FaultDetail[] {
  const faults: FaultDetail[] = [];
  visit(document, {
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key } of map.items) {
        const name = isScalar(key) ? String(key.value) : undefined;
        if (name === undefined)
          faults.push({ path: "", message: "The YAML has a key that is not a plain text." });
        else if (seen.has(name))
          faults.push({ path: "", message: `The YAML has the key "${name}" twice in one place.` });
        seen.add(name ?? "");
      }
      return faults.length > 20 ? visit.BREAK : undefined;
    },
  });
  if (document.contents !== null && !isMap(document.contents)) {
    faults.push({ path: "", message: "must be an object: a job, as GET /jobs/{id}/export writes it." });
  }
  return faults;
}

/** Integers that a number holds exactly; the others stay as they are, and are refused. */
function plainNumber(item: unknown): unknown {
  if (typeof item !== "bigint") return item;
  return Number.isSafeInteger(Number(item)) ? Number(item) : item;
}

function malformed(reason: string): ApiError {
  return new ApiError("MALFORMED_JSON", `The body is not YAML that can be read: ${reason}`);
}

/** YAML that people like to read: texts of several lines as blocks, and no line broken in two. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, schema: "core", version: "1.2" });
}
