import { EvaluationError } from "./fault.ts";
import { Duration } from "./values.ts";

const UNITS: Record<string, number> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** `1h30m`, `-1.5s`, `250ms`: Go's notation, which CEL uses. */
export function parseDuration(text: string): Duration {
  const parts = text.length <= 64 ? text.match(/^([+-]?)((?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+)$/) : null;
  if (!parts) throw new EvaluationError(`"${text.slice(0, 64)}" is not a duration such as "1h30m" or "90s"`);
  let ms = 0;
  for (const [, amount, unit] of parts[2]!.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    ms += Number(amount) * UNITS[unit!]!;
  }
  return new Duration(parts[1] === "-" ? -ms : ms);
}

// A date alone is midnight UTC; a time without an offset would depend on the server's zone, so it is refused.
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i;

export function parseTimestamp(value: unknown): Date {
  const time =
    typeof value === "number"
      ? new Date(value * 1000)
      : new Date(ISO.test(String(value)) ? String(value) : Number.NaN);
  if (Number.isNaN(time.getTime())) {
    throw new EvaluationError(
      `${JSON.stringify(value)?.slice(0, 64)} is not a time: write it as "2026-11-21T09:30:00Z", or as seconds since 1970`,
    );
  }
  return time;
}

interface Parts {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known) return known;
  let format: Intl.DateTimeFormat;
  try {
    const numeric = "numeric";
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      calendar: "iso8601",
      hourCycle: "h23",
      year: numeric,
      month: numeric,
      day: numeric,
      hour: numeric,
      minute: numeric,
      second: numeric,
    });
  } catch {
    throw new EvaluationError(`"${zone.slice(0, 64)}" is not a time zone such as "Europe/Rome" or "UTC"`);
  }
  // Names differ by case and by offset: without a bound, callers could fill the memory.
  if (formats.size >= 100) formats.clear();
  formats.set(zone, format);
  return format;
}

function partsOf(time: Date, zone: string | undefined): Parts {
  if (zone === undefined || zone === "UTC" || zone === "Z") {
    return {
      year: time.getUTCFullYear(),
      month: time.getUTCMonth(),
      day: time.getUTCDate(),
      hour: time.getUTCHours(),
      minute: time.getUTCMinutes(),
      second: time.getUTCSeconds(),
    };
  }
  const found: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(time)) found[type] = Number(value);
  const { year, month, day, hour, minute, second } = found as unknown as Parts;
  return { year, month: month - 1, day, hour, minute, second };
}

const DAY = 86_400_000;

/** CEL's getters: months, days of the month and of the year count from 0; `getDate` from 1. */
export const timeGetters: Record<string, (time: Date, zone: string | undefined) => number> = {
  getFullYear: (time, zone) => partsOf(time, zone).year,
  getMonth: (time, zone) => partsOf(time, zone).month,
  getDate: (time, zone) => partsOf(time, zone).day,
  getDayOfMonth: (time, zone) => partsOf(time, zone).day - 1,
  getDayOfWeek(time, zone) {
    const { year, month, day } = partsOf(time, zone);
    return new Date(Date.UTC(year, month, day)).getUTCDay();
  },
  getDayOfYear(time, zone) {
    const { year, month, day } = partsOf(time, zone);
    return Math.round((Date.UTC(year, month, day) - Date.UTC(year, 0, 1)) / DAY);
  },
  getHours: (time, zone) => partsOf(time, zone).hour,
  getMinutes: (time, zone) => partsOf(time, zone).minute,
  getSeconds: (time, zone) => partsOf(time, zone).second,
  getMilliseconds: (time) => time.getUTCMilliseconds(),
};

export const durationGetters: Record<string, (span: Duration) => number> = {
  getHours: (span) => Math.trunc(span.ms / 3_600_000),
  getMinutes: (span) => Math.trunc(span.ms / 60_000),
  getSeconds: (span) => Math.trunc(span.ms / 1000),
  getMilliseconds: (span) => Math.trunc(span.ms),
};
