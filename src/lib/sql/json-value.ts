/** A decimal as a number where that says the same, and as it is where a number would round it. */
export function exactNumber(text: string): number | string {
  const match = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/.exec(text);
  if (!match) return text;
  const [, sign, whole, fraction] = match;
  const plain = `${sign}${whole}${fraction ? `.${fraction}` : ""}`;
  const number = Number(plain);
  return String(number) === plain ? number : text;
}

/** What JSON can hold of a floating point number: not a number and the infinities as texts. */
export function finiteNumber(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) ? number : text;
}

/** What a value is bound as. Lists and objects as JSON, unless the database has lists. */
export function bindable(value: unknown, { lists }: { lists: boolean }): unknown {
  if (value === undefined) return null;
  if (typeof value !== "object" || value === null) return value;
  return lists && Array.isArray(value) ? value : JSON.stringify(value);
}
