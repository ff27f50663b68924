/** Shorter texts are masked only where they stand alone: a secret of three letters would tear holes into everything. */
export const SHORTEST = 4;

/** Parts of a secret that are secret by themselves are taken from this length on: shorter ones are words. */
const SHORTEST_PART = 8;

const SCHEME = /^(?:bearer|basic|token|apikey)\s+(\S.*)$/is;

/** Every text that is not to be seen: the secrets, and of a list, an object, JSON or a URL the parts that are secret too. */
export function secretTexts(secrets: Iterable<unknown>): string[] {
  const texts = new Set<string>();
  for (const secret of secrets) collect(secret, texts, 0);
  // The longest first: what is found first is not found again inside it.
  return [...texts].sort((a, b) => b.length - a.length);
}

/** Texts that are too short to be looked for. Of numbers none: 7 stands alone in every second list. */
export function shortTexts(secrets: Iterable<unknown>): Set<string> {
  const texts = new Set<string>();
  const visit = (secret: unknown, depth: number) => {
    if (typeof secret === "string" && secret.trim() !== "" && secret.length < SHORTEST) texts.add(secret);
    if (typeof secret !== "object" || secret === null || depth > 32) return;
    for (const item of Object.values(secret)) visit(item, depth + 1);
  };
  for (const secret of secrets) visit(secret, 0);
  return texts;
}

function collect(secret: unknown, into: Set<string>, depth: number): void {
  if (depth > 32) return;
  if (typeof secret === "number" || typeof secret === "bigint") add(String(secret), into);
  else if (typeof secret === "string") {
    add(secret, into);
    for (const part of partsOf(secret)) {
      if (typeof part === "string") add(part, into);
      else collect(part, into, depth + 1);
    }
  } else if (typeof secret === "object" && secret !== null) {
    for (const item of Object.values(secret)) collect(item, into, depth + 1);
  }
}

function add(text: string, into: Set<string>): void {
  if (text.length >= SHORTEST) into.add(text);
}

function partsOf(text: string): unknown[] {
  const parts: unknown[] = [text.trim()];
  const scheme = SCHEME.exec(text)?.[1];
  if (scheme !== undefined) parts.push(scheme.trim());
  // A key in PEM is echoed line by line; its first and last line are no secret.
  if (text.includes("\n")) parts.push(...text.split(/\r?\n/).filter(isPart));
  if (/^\s*[{[]/.test(text)) parts.push(parsed(text));
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) parts.push(...urlParts(text));
  return parts;
}

function isPart(line: string): boolean {
  return line.trim().length >= SHORTEST_PART && !line.startsWith("-----");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The password, the path and what is long in it, and the values of the query. */
function urlParts(text: string): string[] {
  const url = URL.parse(text);
  if (!url) return [];
  const path = url.pathname + url.search;
  const pieces = [...url.pathname.split("/"), ...url.searchParams.values()];
  const long = [path, ...pieces].filter((piece) => piece.length >= 2 * SHORTEST_PART);
  return [url.password, decoded(url.password), ...long, ...long.map(decoded)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
