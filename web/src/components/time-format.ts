const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  day: "numeric",
  month: "short",
  hour: "2-digit",
  minute: "2-digit",
});
const yearAndDay = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const full = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });

/** As short as it can be said without doubt: today a time, this year a day and time, else a date. */
export function shortTime(at: Date, now: Date = new Date()): string {
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return at.getFullYear() === now.getFullYear() ? dayAndClock.format(at) : yearAndDay.format(at);
}

/** The whole of it, local first and UTC below. */
export function fullTime(at: Date): string {
  return `${full.format(at)}\n${at.toISOString().replace("T", " ").replace("Z", " UTC")}`;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** "3 min. ago", "in 2 hr."; within a minute "just now" or "in a moment". */
export function relativeTime(at: Date, now: number): string {
  const difference = at.getTime() - now;
  for (const [unit, ms] of units) {
    if (Math.abs(difference) >= ms) return relative.format(Math.trunc(difference / ms), unit);
  }
  return difference > 1000 ? "in a moment" : "just now";
}

/** A length of time with two units at most: "840 ms", "12.4 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(ms < 10_000 ? 1 : 0)} s`;
  const pair = (big: number, bigName: string, small: number, smallName: string) => {
    const bigs = Math.floor(ms / big);
    const smalls = Math.floor((ms % big) / small);
    return smalls === 0 ? `${bigs} ${bigName}` : `${bigs} ${bigName} ${smalls} ${smallName}`;
  };
  if (ms < 3_600_000) return pair(60_000, "min", 1000, "s");
  if (ms < 86_400_000) return pair(3_600_000, "h", 60_000, "min");
  return pair(86_400_000, "d", 3_600_000, "h");
}
