/** One text to look for: a secret, or what an encoding that shifts bits makes of it. */
export interface Form {
  text: string;
  /** Base64: the character at this side is made of the secret in part. */
  partBefore: boolean;
  partAfter: boolean;
}

/**
 * What a secret reads as once escapes are decoded (see `viewsOf`): itself, in a form with + for spaces, in hex, and in base64 at
 * each of the three places where it can begin there.
 */
export function formsOf(secret: string): Form[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const plain = [secret, secret.replaceAll(" ", "+")];
  for (const text of [hex, hex.replace(/..(?!$)/g, "$&:"), hex.replace(/..(?!$)/g, "$& ")]) {
    plain.push(text, text.toUpperCase());
  }
  return [
    ...[...new Set(plain)].map((text) => ({ text, partBefore: false, partAfter: false })),
    ...[0, 1, 2].flatMap((before) => base64(bytes, before)),
  ];
}

/** The characters that the secret alone decides when so many bytes, modulo three, stand before it. */
function base64(bytes: Buffer, before: number): Form[] {
  const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64");
  const bits = (before + bytes.length) * 8;
  const core = encoded.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6));
  const forSafeUrls = core.replaceAll("+", "-").replaceAll("/", "_");
  const parts = { partBefore: before > 0, partAfter: bits % 6 !== 0 };
  return [...new Set([core, forSafeUrls])].map((text) => ({ text, ...parts }));
}

const BASE64 = /[A-Za-z0-9+/_-]/;

/** The place of a form, with what it decides in part, and its padding. */
export function widened(text: string, at: number, form: Form): [number, number] {
  let [from, to] = [at, at + form.text.length];
  if (form.partBefore && from > 0 && BASE64.test(text[from - 1]!)) from--;
  if (form.partAfter) {
    if (to < text.length && BASE64.test(text[to]!)) to++;
    while (text[to] === "=") to++;
  }
  return [from, to];
}

/** Shorter beginnings of a secret are left before a cut. */
const SHORTEST_CUT = 3;

/** For a text that was cut before it came here: masks the beginning of a secret right before "…". */
export function cutEnds(secrets: readonly string[], mask: string): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    ...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret.toWellFormed())]),
  ]);
  return (text) => {
    const pieces = text.split("…");
    const last = pieces.length - 1;
    return pieces.map((piece, i) => (i === last ? piece : withoutBeginning(piece, forms, mask))).join("…");
  };
}

function withoutBeginning(text: string, forms: readonly string[], mask: string): string {
  let cut = 0;
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > cut; length--) {
      if (length >= SHORTEST_CUT && text.endsWith(form.slice(0, length))) cut = length;
    }
  }
  return cut === 0 ? text : text.slice(0, -cut) + mask;
}
