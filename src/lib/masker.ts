import { cutEnds, formsOf, widened } from "./masker-forms.ts";
import { secretTexts, shortTexts } from "./masker-texts.ts";
import { viewsOf } from "./masker-views.ts";

/** Takes secrets out of what is kept or shown: by their value, wherever and in whatever common spelling it stands. */
export interface Masker {
  /** Also of a text that was cut ("…"): the beginning of a secret before the cut goes too. */
  text(text: string): string;
  /** Of a value as JSON holds it, keys included. The same value where nothing in it is secret; never changed in place. */
  value<T>(value: T): T;
  /** Of texts that follow each other, as lines of a log: also what begins in one and ends in another. */
  texts(texts: readonly string[]): string[];
}

export const MASK = "***";

/** Nothing is secret: costs nothing. */
export const noMasker: Masker = {
  text: (text) => text,
  value: (value) => value,
  texts: (texts) => [...texts],
};

/** A text may be JSON in JSON, or a URL in JSON in HTML; further in is not looked. */
const DEPTH = 3;

/**
 * Masks these values: texts, numbers, and those inside lists and objects. What is shorter than four characters is masked where
 * it is a whole text, and nowhere else: it would stand everywhere.
 */
export function createMasker(given: Iterable<unknown>): Masker {
  const secrets = [...given];
  const texts = secretTexts(secrets);
  const short = shortTexts(secrets);
  if (texts.length === 0 && short.size === 0) return noMasker;
  const forms = texts.flatMap(formsOf);
  const cut = cutEnds(texts, MASK);

  function* places(text: string, depth: number): Generator<[number, number]> {
    for (const view of viewsOf(text, depth)) {
      for (const form of forms) {
        // A secret that repeats itself may begin again before it has ended; looked for in steps, so that it stays linear.
        const step = Math.ceil(form.text.length / 64);
        let [start, end] = [-1, -1];
        for (let at = view.text.indexOf(form.text); at !== -1; at = view.text.indexOf(form.text, at + step)) {
          const [from, to] = widened(view.text, at, form);
          if (start !== -1 && from > end) {
            yield [view.sourceOf(start), view.sourceOf(end)];
            start = -1;
          }
          if (start === -1) start = from;
          end = to;
        }
        if (start !== -1) yield [view.sourceOf(start), view.sourceOf(end)];
      }
    }
  }

  function plain(text: string): string {
    const found = [...places(text, DEPTH)];
    return found.length === 0 ? text : replaced(text, found);
  }

  function value(given: unknown): unknown {
    if (typeof given === "string") return short.has(given) ? MASK : plain(given);
    if (typeof given === "number") return plain(String(given)) === String(given) ? given : MASK;
    if (Array.isArray(given)) return list(given);
    if (typeof given === "object" && given !== null) return record(given as Record<string, unknown>);
    return given;
  }

  function list(items: unknown[]): unknown[] {
    const masked = items.map(value);
    return masked.some((item, i) => item !== items[i]) ? masked : items;
  }

  function record(given: Record<string, unknown>): Record<string, unknown> {
    let changed = false;
    let number = 1;
    const masked = new Map<string, unknown>();
    for (const [key, item] of Object.entries(given)) {
      const content = value(item);
      let name = plain(key);
      changed ||= name !== key || content !== item;
      // Two keys that are one when masked stay two.
      while (masked.has(name)) name = `${MASK} (${++number})`;
      masked.set(name, content);
    }
    return changed ? Object.fromEntries(masked) : given;
  }

  function whole(text: string): string {
    if (short.has(text)) return MASK;
    const masked = plain(text);
    return masked.includes("…") ? cut(masked) : masked;
  }

  /** What lies in more than one of them, when nothing or a line break is between. */
  function spanning(lines: readonly string[]): [number, number][][] {
    const found = lines.map((): [number, number][] => []);
    for (const between of ["", "\n"]) {
      let at = 0;
      const starts = lines.map((line) => {
        const start = at;
        at += line.length + between.length;
        return start;
      });
      for (const [from, to] of places(lines.join(between), DEPTH)) {
        for (let i = lastAt(starts, from); i < lines.length && starts[i]! < to; i++) {
          const [start, length] = [starts[i]!, lines[i]!.length];
          if (from < start + length) {
            found[i]!.push([Math.max(from - start, 0), Math.min(to - start, length)]);
          }
        }
      }
    }
    return found;
  }

  return {
    text: whole,
    texts(lines) {
      if (lines.length < 2) return lines.map(whole);
      return spanning(lines).map((found, i) =>
        whole(found.length === 0 ? lines[i]! : replaced(lines[i]!, found)),
      );
    },
    value(given) {
      // A large output mostly holds no secret. One look at its JSON, which is a text in one more encoding, says so sooner.
      const json = typeof given === "object" && short.size === 0 ? JSON.stringify(given) : undefined;
      if (json !== undefined && places(json, DEPTH + 1).next().done) return given;
      return value(given) as typeof given;
    },
  };
}

/** Index of the last number that is not above this one. */
function lastAt(sorted: readonly number[], number: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle]! <= number) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Places of secrets may overlap: what lies between the first and the last character of them goes as one. */
function replaced(text: string, found: [number, number][]): string {
  found.sort(([a], [b]) => a - b);
  let result = "";
  let end = 0;
  for (const [from, to] of found) {
    if (from >= end) result += text.slice(end, from) + MASK;
    if (to > end) end = to;
  }
  return result + text.slice(end);
}
