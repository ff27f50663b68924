import { cutEnds, formsOf, widened } from "./masker-forms.ts";
import { secretTexts } from "./masker-texts.ts";
import { viewsOf } from "./masker-views.ts";

/** Takes secrets out of what is kept or shown: by their value, wherever and in whatever common spelling it stands. */
export interface Masker {
  /** Also of a text that was cut ("…"): the beginning of a secret before the cut goes too. */
  text(text: string): string;
  /** Of a value as JSON holds it, keys included. The same value where nothing in it is secret; never changed in place. */
  value<T>(value: T): T;
}

export const MASK = "***";

/** Nothing is secret: costs nothing. */
export const noMasker: Masker = { text: (text) => text, value: (value) => value };

/** A text may be JSON in JSON, or a URL in JSON in HTML; further in is not looked. */
const DEPTH = 3;

/**
 * Masks these values: texts, numbers, and those inside lists and objects. Of what is shorter than four characters nothing is
 * masked: it would stand everywhere.
 */
export function createMasker(secrets: Iterable<unknown>): Masker {
  const texts = secretTexts(secrets);
  if (texts.length === 0) return noMasker;
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
    if (typeof given === "string") return plain(given);
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

  return {
    text(text) {
      const masked = plain(text);
      return masked.includes("…") ? cut(masked) : masked;
    },
    value(given) {
      // A large output mostly holds no secret. One look at its JSON, which is a text in one more encoding, says so sooner.
      const json = typeof given === "object" ? JSON.stringify(given) : undefined;
      if (json !== undefined && places(json, DEPTH + 1).next().done) return given;
      return value(given) as typeof given;
    },
  };
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
