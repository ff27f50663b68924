import { isIP } from "node:net";
import { didYouMean } from "../../lib/did-you-mean.ts";
import { extraPrefix, type Rule, type Template, type TemplateField } from "./templates.ts";

/** The text as it is kept, or what is wrong with it. */
type Checked = { value: string } | { fault: string };

const longest = { multiline: 65_536, url: 2048, other: 4096 };
const mostHeaders = 100;

/** What is wrong with a variable's name; undefined: nothing. */
export function nameFault({ connectionType, fields }: Template, name: string): string | undefined {
  const known = fields.map((field) => field.name);
  if (known.includes(name) || /^x-[A-Za-z0-9_.-]{1,60}$/.test(name)) return undefined;
  if (name.startsWith(extraPrefix)) {
    return `may have letters, digits and _ . - after ${extraPrefix}, 60 at most.`;
  }
  return `is not a variable of ${connectionType}.${didYouMean(name.slice(0, 100), known)} They are ${known.join(", ")}; others begin with ${extraPrefix}.`;
}

/** Checks the text of a variable by its field; further variables are texts of one line. */
export function checkValue(field: TemplateField | undefined, text: string): Checked {
  const kind = field?.kind ?? "text";
  const limit = kind === "multiline" ? longest.multiline : kind === "url" ? longest.url : longest.other;
  if (text.length > limit) return { fault: `must have ${limit} characters at most.` };
  // A line break in what goes into a header or a mail's head would begin another.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
  if (kind !== "multiline" && /[\x00-\x1f\x7f]/.test(text)) {
    return { fault: "must not have line breaks or other control characters." };
  }
  const fault = field?.rule && rules[field.rule](text);
  if (fault) return { fault };
  if (field === undefined) return { value: text };
  return kinds[kind](text, field);
}

const kinds: Record<TemplateField["kind"], (text: string, field: TemplateField) => Checked> = {
  text: (value) => ({ value }),
  multiline: (value) => ({ value }),
  number(text, { min = 0, max = Number.MAX_SAFE_INTEGER }) {
    const number = Number(text);
    return /^\d{1,15}$/.test(text) && number >= min && number <= max
      ? { value: String(number) }
      : { fault: `must be a whole number from ${min} to ${max}, as a text.` };
  },
  boolean(text) {
    const value = text.toLowerCase();
    return value === "true" || value === "false" ? { value } : { fault: 'must be "true" or "false".' };
  },
  enum(text, { values = [] }) {
    const plain = (word: string) => word.toLowerCase().replaceAll(/[-_ ]/g, "");
    const value = values.find((each) => plain(each) === plain(text));
    if (value !== undefined) return { value };
    return { fault: `must be one of ${values.join(", ")}.${didYouMean(text.slice(0, 100), values)}` };
  },
  url(text, { sensitive }) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (!url || !/^https?:\/\//i.test(text) || /\s/.test(text)) {
      return { fault: "must be a URL that begins with https:// or http://." };
    }
    // In a field that is not sealed they would be shown to everyone.
    if (!sensitive && (url.username !== "" || url.password !== "")) {
      return { fault: "must not hold a user or password: they have fields of their own." };
    }
    return { value: text };
  },
};

const rules: Record<Rule, (text: string) => string | undefined> = {
  host(text) {
    if (text.length <= 255 && (isIP(text.replace(/^\[(.*)\]$/, "$1")) || /^[\p{L}\p{N}._-]+$/u.test(text))) {
      return undefined;
    }
    return "must be a host name or an address alone, without a scheme, a path or a port.";
  },
  email: (text) =>
    /^[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}$/.test(text) ? undefined : "must be an e-mail address alone.",
  bucket: (text) =>
    /^[A-Za-z0-9._-]{1,255}$/.test(text) ? undefined : "may have only letters, digits and . _ -.",
  region: (text) => (/^[A-Za-z0-9-]{1,64}$/.test(text) ? undefined : "may have only letters, digits and -."),
  tenant: (text) =>
    /^[A-Za-z0-9.-]{1,255}$/.test(text) ? undefined : "must be the id or the domain of a directory.",
  connectionString: (text) =>
    /^mongodb(\+srv)?:\/\/\S+$/.test(text) ? undefined : "must begin with mongodb:// or mongodb+srv://.",
  headers: headersFault,
};

function headersFault(text: string): string | undefined {
  let headers: unknown;
  try {
    headers = JSON.parse(text);
  } catch {
    return 'must be a JSON object of names and texts, such as {"X-Tenant": "7"}.';
  }
  if (typeof headers !== "object" || headers === null || Array.isArray(headers)) {
    return 'must be a JSON object of names and texts, such as {"X-Tenant": "7"}.';
  }
  const entries = Object.entries(headers);
  if (entries.length > mostHeaders) return `must have ${mostHeaders} headers at most.`;
  for (const [name, value] of entries) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return "has a name that no header can have.";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    if (typeof value !== "string" || /[\x00-\x08\x0a-\x1f\x7f]/.test(value)) {
      return "must have a text of one line for each name.";
    }
  }
  return undefined;
}
