const UNITS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const SHORT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;
const ISO =
  /^P(?!$)(?:(\d+(?:\.\d+)?)D)?(?:T(?!$)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/** Milliseconds of "90s", "5m", "1.5h" or ISO 8601 "P1DT2H30M"; undefined when it is neither. */
export function durationMs(text: string): number | undefined {
  const short = SHORT.exec(text);
  if (short) return Math.round(Number(short[1]) * UNITS[short[2]!]!);
  const iso = ISO.exec(text);
  if (!iso) return undefined;
  const [, days = 0, hours = 0, minutes = 0, seconds = 0] = iso;
  const ms =
    Number(days) * UNITS.d! +
    Number(hours) * UNITS.h! +
    Number(minutes) * UNITS.m! +
    Number(seconds) * UNITS.s!;
  return Math.round(ms);
}
