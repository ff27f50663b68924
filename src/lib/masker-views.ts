/** A text as it reads when what is encoded in it is decoded, and where in the text each character of that comes from. */
export interface View {
  text: string;
  /** The place in the original text of the character at this index; its length for the index after the last. */
  sourceOf(index: number): number;
}

interface Decoder {
  /** What a text has that this can decode; looked for first, as most texts have nothing. */
  sign: string;
  pattern: RegExp;
  decode(match: string): string;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
const ESCAPES: Record<string, string> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Each pattern matches one encoded character: of UTF-8 in a URL, of JSON and its like, of HTML. */
const decoders: readonly Decoder[] = [
  {
    sign: "%",
    pattern:
      /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
    decode: (match) => Buffer.from(match.replaceAll("%", ""), "hex").toString(),
  },
  {
    sign: "\\",
    pattern: /\\(?:u[\da-f]{4}|x[\da-f]{2}|["'\\/bfnrt])/gi,
    decode(match) {
      const code = match.slice(1);
      if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return ESCAPES[code] ?? code;
    },
  },
  {
    sign: "&",
    pattern: /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi,
    decode(match) {
      const name = match.slice(1, -1).toLowerCase();
      if (!name.startsWith("#")) return ENTITIES[name]!;
      const point = name[1] === "x" ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
    },
  },
];

/** The text itself, and all that it may be when it is decoded up to so many times, in any order. */
export function* viewsOf(text: string, depth: number): Generator<View> {
  const seen = new Set([text]);
  let level: View[] = [{ text, sourceOf: (index) => index }];
  yield level[0]!;
  for (let times = 0; times < depth && level.length > 0; times++) {
    const next: View[] = [];
    for (const view of level) {
      for (const decoder of decoders) {
        if (!view.text.includes(decoder.sign)) continue;
        const decoded = decode(view, decoder);
        if (seen.has(decoded.text)) continue;
        seen.add(decoded.text);
        next.push(decoded);
        yield decoded;
      }
    }
    level = next;
  }
}

function decode(view: View, { pattern, decode }: Decoder): View {
  // Of each decoded piece: where it begins here and there, and where it ends here and there.
  const pieces: [number, number, number, number][] = [];
  let shorter = 0;
  const text = view.text.replace(pattern, (match: string, at: number) => {
    const decoded = decode(match);
    const start = at - shorter;
    pieces.push([start, at, start + decoded.length, at + match.length]);
    shorter += match.length - decoded.length;
    return decoded;
  });
  return {
    text,
    sourceOf(index) {
      const piece = pieces[lastBefore(pieces, index)];
      if (!piece) return view.sourceOf(index);
      const [, from, end, to] = piece;
      return view.sourceOf(index < end ? from : to + index - end);
    },
  };
}

/** Index of the last piece that begins at or before this place; -1 when there is none. */
function lastBefore(pieces: readonly [number, number, number, number][], index: number): number {
  let [low, high] = [0, pieces.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (pieces[middle]![0] <= index) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
