/** Rows as an aligned text table: numbers to the right, words to the left. */
export function table(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [columns, ...rows].map((row) => row.map(String));
  const widths = columns.map((_, i) => Math.max(...cells.map((row) => row[i]!.length)));
  const align = (cell: string, i: number) =>
    typeof rows[0]?.[i] === "number" ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!);
  const [head, ...body] = cells.map((row) => row.map(align).join("  ").trimEnd());
  return [head, widths.map((width) => "-".repeat(width)).join("  "), ...body].join("\n");
}

export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}
