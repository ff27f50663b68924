import { nearest } from "../lib/did-you-mean.ts";
import type { SearchStore } from "./search-store.ts";

// Each costs two small queries; who typed more words is not served by a guess at all of them.
const MOST_WORDS = 6;

/**
 * The search text with its slips mended, if that finds something; undefined otherwise. Words come from all names and
 * descriptions, whoever may see them: only by finding something does one of them come out.
 */
export async function suggest(
  items: Pick<SearchStore, "isKnown" | "findSimilar">,
  searchText: string,
  finds: (searchText: string) => Promise<boolean>,
): Promise<string | undefined> {
  const words = [...new Set(searchText.match(/\p{L}{3,40}/gu) ?? [])];
  if (words.length > MOST_WORDS) return undefined;
  const mended = new Map<string, string>();
  for (const word of words) {
    const typed = word.toLowerCase();
    if (await items.isKnown(typed)) continue;
    const swapped = swaps(typed);
    const similar = await items.findSimilar(typed, swapped);
    // Two letters in the wrong order are the most common slip, and two edits to the usual measure.
    const meant = similar.find((known) => swapped.includes(known)) ?? nearest(typed, similar);
    if (meant !== undefined) mended.set(word, meant);
  }
  if (mended.size === 0) return undefined;
  const text = searchText.trim().replace(/\p{L}{3,40}/gu, (word) => mended.get(word) ?? word);
  return (await finds(text)) ? text : undefined;
}

function swaps(word: string): string[] {
  const letters = [...word];
  return letters.slice(1).map((letter, i) => {
    const swapped = [...letters];
    [swapped[i], swapped[i + 1]] = [letter, letters[i]!];
    return swapped.join("");
  });
}
