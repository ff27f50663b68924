import { distance } from "fastest-levenshtein";

/** The known name that `name` is most likely a slip of, or undefined when none is near. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const far = distance(name.toLowerCase(), candidate.toLowerCase());
    if (far < least) [best, least] = [candidate, far];
  }
  return best;
}

/** ` Did you mean "…"?`, ready to append to a sentence; empty when nothing is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const hit = nearest(name, known);
  return hit === undefined ? "" : ` Did you mean "${hit}"?`;
}
