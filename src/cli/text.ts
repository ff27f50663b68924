import { stripVTControlCharacters, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours for standard output; plain where it is not a terminal or NO_COLOR is set. */
export function paint(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stdout });
}

/** The same for standard error. */
export function paintNote(style: Style, text: string): string {
  return styleText(style, text, { stream: process.stderr });
}

/** Text from elsewhere, made safe for a terminal: no escape sequences or control characters but newline and tab. */
export function safe(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it removes
  return stripVTControlCharacters(text).replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, "");
}

/** On one line, and at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = safe(text).replace(/\s+/g, " ").trim();
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}

/** `340 ms`, `1.2 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return "–";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return pair(seconds, 60, "min", "s");
  const minutes = Math.round(seconds / 60);
  return minutes < 1440 ? pair(minutes, 60, "h", "min") : pair(Math.round(minutes / 60), 24, "d", "h");
}

function pair(count: number, per: number, large: string, small: string): string {
  const rest = count % per;
  return `${Math.floor(count / per)} ${large}${rest > 0 ? ` ${rest} ${small}` : ""}`;
}

/** `340 B`, `1.2 KiB`, `5.0 MiB`. */
export function byteSize(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${unit === 0 ? bytes : (bytes / 1024 ** unit).toFixed(1)} ${units[unit]}`;
}

/** A timestamp of the API as local time: `2026-11-21 09:30:05`. */
export function localTime(timestamp: string | null | undefined): string {
  // Swedish writes dates as ISO does, and toLocaleString puts them in the local time zone.
  return timestamp ? new Date(timestamp).toLocaleString("sv-SE") : "–";
}

/** Columns as wide as their widest cell; the header is dim. Cells may hold colours. */
export function table(header: string[], rows: string[][]): string {
  const all = [header.map((cell) => paint("dim", cell)), ...rows.map((row) => row.map(guard))];
  const widths = header.map((_, column) => Math.max(...all.map((row) => visible(row[column] ?? ""))));
  return all
    .map((row) =>
      row
        .map((cell, i) => pad(cell, widths[i]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Aligned `name  value` lines. */
export function fields(pairs: [string, string][]): string {
  const width = Math.max(...pairs.map(([name]) => name.length));
  return pairs.map(([name, value]) => `${paint("dim", name.padEnd(width))}  ${value}`).join("\n");
}

function visible(text: string): number {
  return stripVTControlCharacters(text).length;
}

export function pad(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - visible(text)));
}

/** A table cell is one line. */
function guard(cell: string): string {
  return cell.replace(/[\r\n\t]+/g, " ");
}

const statusStyles: Record<string, Style> = {
  COMPLETED: "green",
  RUNNING: "cyan",
  WAITING: "yellow",
  PAUSED: "yellow",
  FAILED: "red",
  STOPPED: "magenta",
  SKIPPED: "dim",
  PENDING: "dim",
};

export function status(name: string): string {
  return paint(statusStyles[name] ?? "reset", name);
}
