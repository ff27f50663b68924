import type { OutputUnit } from "@cfworker/json-schema";

/** A fault in a form: where, and a sentence that goes on from the field's name. */
export interface FormFault {
  path: string[];
  message: string;
  keyword: string;
}

// Said again, better, by the faults below them.
const wrappers = new Set([
  "properties",
  "items",
  "prefixItems",
  "allOf",
  "$ref",
  "additionalProperties",
  "patternProperties",
  "then",
  "else",
  "if",
  "dependentSchemas",
]);

/** What the validator found, one fault a place and in words for a person. */
export function faultsOf(units: OutputUnit[]): FormFault[] {
  const faults = units.flatMap((unit) => (isWrapper(unit, units) ? [] : [faultOf(unit)]));
  const seen = new Set<string>();
  return faults.filter(({ path, message }) => {
    const key = `${path.join("/")}\n${message}`;
    return !seen.has(key) && seen.add(key);
  });
}

function isWrapper({ keyword, keywordLocation }: OutputUnit, units: OutputUnit[]): boolean {
  if (keyword === "false") return false;
  // The alternatives of an anyOf say each what it lacks; that none fits says enough.
  if (/\/(anyOf|oneOf|not)\//.test(keywordLocation)) return true;
  return (
    wrappers.has(keyword) && units.some((other) => other.keywordLocation.startsWith(`${keywordLocation}/`))
  );
}

function faultOf({ keyword, instanceLocation, error }: OutputUnit): FormFault {
  const path = instanceLocation.split("/").slice(1).map(unescaped);
  const named = /"([^"]*)"/.exec(error)?.[1];
  if (keyword === "required" && named !== undefined) {
    return { path: [...path, named], message: "is required.", keyword };
  }
  return { path, message: messageOf(keyword, error), keyword };
}

function messageOf(keyword: string, error: string): string {
  const number = /(-?[\d.]+(?:e[+-]?\d+)?)\.?$/i.exec(error)?.[1] ?? "";
  switch (keyword) {
    case "type":
      return `must be ${(/Expected "(.*)"/.exec(error)?.[1] ?? "of another type").replaceAll('", "', " or ")}.`;
    case "false":
    case "additionalProperties":
    case "unevaluatedProperties":
      return "is not known here.";
    case "enum":
    case "const":
    case "anyOf":
    case "oneOf":
      return "is none of the values that are possible.";
    case "format":
      return `must be ${formats[/"([^"]*)"\.$/.exec(error)?.[1] ?? ""] ?? "in another format"}.`;
    case "pattern":
      return "has not the form that is asked for.";
    case "minLength":
      return "is too short.";
    case "maxLength":
      return "is too long.";
    case "minimum":
      return `must be ${number} or more.`;
    case "maximum":
      return `must be ${number} or less.`;
    case "minItems":
      return "has too few items.";
    case "maxItems":
      return "has too many items.";
    case "uniqueItems":
      return "has an item twice.";
    default:
      return error.replace(/^Instance/, "It").replace(/^./, (letter) => letter.toLowerCase());
  }
}

const formats: Record<string, string> = {
  date: "a date",
  "date-time": "a date and time",
  time: "a time",
  email: "an e-mail address",
  uri: "a URL",
  url: "a URL",
  uuid: "a UUID",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  hostname: "a host name",
};

function unescaped(part: string): string {
  return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
}
