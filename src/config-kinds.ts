import { isIP } from "node:net";
import { homedir } from "node:os";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { readKey } from "./lib/key-text.ts";

/** How the text of a variable becomes a value. `parse` throws an Error whose message completes "… must be". */
export interface Kind<T> {
  label: string;
  parse(text: string): T;
  show?(value: T): string;
}

function kind<T>(
  label: string,
  must: string,
  parse: (text: string) => T | undefined,
  show?: (value: T) => string,
) {
  const strict: Kind<T> = {
    label,
    parse(text) {
      const value = parse(text);
      if (value === undefined) throw new Error(must);
      return value;
    },
  };
  return show ? { ...strict, show } : strict;
}

function wholeNumber(text: string): number | undefined {
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

export function integer(min: number, max: number, label = `integer, ${min} to ${max}`): Kind<number> {
  return kind(label, `a whole number from ${min} to ${max}`, (text) => {
    const value = wholeNumber(text);
    return value !== undefined && value >= min && value <= max ? value : undefined;
  });
}

export const port = integer(0, 65535, "port");

export function oneOf<const T extends string>(...values: T[]): Kind<T> {
  return kind(values.join(" \\| "), `one of ${values.join(", ")}`, (text) => values.find((v) => v === text));
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds, written `500ms`, `30s`, `10m`, `2h`, `1d`, or as a bare number of milliseconds. */
export function duration(min: number, max: number): Kind<number> {
  const must = `a duration from ${showDuration(min)} to ${showDuration(max)}, such as 500ms, 30s or 10m`;
  return kind(
    "duration",
    must,
    (text) => {
      const [, digits, unit = "ms"] = /^(\d{1,12})\s*(ms|s|m|h|d)?$/.exec(text) ?? [];
      if (digits === undefined) return undefined;
      const value = Number(digits) * units[unit as keyof typeof units];
      return value >= min && value <= max ? value : undefined;
    },
    showDuration,
  );
}

function showDuration(ms: number): string {
  for (const unit of ["d", "h", "m", "s"] as const) {
    if (ms >= units[unit] && ms % units[unit] === 0) return `${ms / units[unit]}${unit}`;
  }
  return `${ms}ms`;
}

const sizes = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Bytes, written `64KiB`, `1MiB`, `1 GiB`, or as a bare number of bytes. */
export function bytes(min: number, max: number): Kind<number> {
  const must = `a size from ${showBytes(min)} to ${showBytes(max)}, such as 512KiB or 1MiB`;
  return kind(
    "bytes",
    must,
    (text) => {
      const [, digits, unit = "B"] = /^(\d{1,12})\s*(B|KiB|MiB|GiB)?$/.exec(text) ?? [];
      if (digits === undefined) return undefined;
      const value = Number(digits) * sizes[unit as keyof typeof sizes];
      return value >= min && value <= max ? value : undefined;
    },
    showBytes,
  );
}

function showBytes(count: number): string {
  for (const unit of ["GiB", "MiB", "KiB"] as const) {
    if (count >= sizes[unit] && count % sizes[unit] === 0) return `${count / sizes[unit]}${unit}`;
  }
  return `${count}B`;
}

/** An absolute path; `~` is the home directory, anything relative counts from the working directory. */
export const path: Kind<string> = kind("path", "a path", (text) =>
  text.includes("\0") ? undefined : resolve(text.replace(/^~(?=$|\/)/, homedir())),
);

export function url(
  protocols: string[],
  must: string,
  check: (url: URL) => boolean = () => true,
): Kind<string> {
  return kind("URL", must, (text) => {
    const parsed = URL.parse(text);
    return parsed && protocols.includes(parsed.protocol) && check(parsed) ? text : undefined;
  });
}

const hostLabels = /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i;

export const host: Kind<string> = kind("host", "an IP address or a host name", (text) =>
  isIP(text) || (hostLabels.test(text) && !/^[\d.]+$/.test(text)) ? text : undefined,
);

export function text(pattern: RegExp, label: string, must: string): Kind<string> {
  return kind(label, must, (value) => (pattern.test(value) ? value : undefined));
}

export const key: Kind<Buffer> = kind(
  "key",
  "32 random bytes, as 64 hex digits or in base64: `openssl rand -base64 32` makes them",
  readKey,
);

function list(label: string, must: string, item: (text: string) => boolean): Kind<string[]> {
  return kind(
    label,
    must,
    (value) => {
      const items = value
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "");
      return items.every(item) ? items : undefined;
    },
    (items) => items.join(","),
  );
}

function isAddressOrRange(item: string): boolean {
  return isIP(item) !== 0 || ipaddr.isValidCIDR(item);
}

export const addresses = list(
  "list",
  "a comma-separated list of IP addresses or ranges such as 10.0.0.0/8",
  isAddressOrRange,
);

/** A list of some of these words; one at least. */
export function someOf<const T extends string>(...values: T[]): Kind<T[]> {
  const must = `a comma-separated list of some of ${values.join(", ")}`;
  const words = list("list", must, (item) => values.includes(item as T));
  return {
    ...words,
    parse(text) {
      const chosen = words.parse(text) as T[];
      if (chosen.length === 0) throw new Error(must);
      return chosen;
    },
    show: (chosen) => chosen.join(","),
  };
}

/** Host names and addresses as a Host header has them, without ports; IPv6 in brackets. */
export const hostNames = list(
  "list",
  "a comma-separated list of host names or addresses without ports, IPv6 in brackets",
  (item) =>
    hostLabels.test(item) || isIP(item) === 4 || (/^\[.*\]$/.test(item) && isIP(item.slice(1, -1)) === 6),
);

export const destinations = list(
  "list",
  "a comma-separated list of host names, *.domains, IP addresses or ranges such as 10.0.0.0/8",
  (item) => isAddressOrRange(item) || hostLabels.test(item.replace(/^\*\./, "")),
);
