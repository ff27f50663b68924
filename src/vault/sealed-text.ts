/** Which record a sealed value belongs to, and which field of it. Both are authenticated, and stand in it in the clear. */
export interface SealContext {
  record: string;
  field: string;
}

export interface SealedParts {
  keyId: string;
  context: SealContext;
  /** The initialisation vector, the ciphertext and the tag. */
  data: Buffer;
}

export const ivBytes = 12;
export const tagBytes = 16;
const longest = 2 * 1024 ** 2;
const shape = /^v1\.([a-z0-9]{4,32})\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

/** `ENC(v1.<key id>.<context>.<iv‖ciphertext‖tag>)`, the latter two in base64url. */
export function writeSealed({ keyId, context, data }: SealedParts): string {
  const encoded = Buffer.from(`${context.record}\0${context.field}`).toString("base64url");
  return `ENC(v1.${keyId}.${encoded}.${data.toString("base64url")})`;
}

/** The parts of a well-formed sealed value, none of them verified; undefined for any other text. */
export function readSealed(text: string): SealedParts | undefined {
  if (text.length > longest || !text.startsWith("ENC(") || !text.endsWith(")")) return undefined;
  const [, keyId, encoded, body] = shape.exec(text.slice(4, -1)) ?? [];
  const context = decode(encoded)?.toString("utf8");
  const data = decode(body);
  const end = context?.indexOf("\0") ?? -1;
  if (keyId === undefined || context === undefined || end < 1 || data === undefined) return undefined;
  if (data.length < ivBytes + tagBytes) return undefined;
  return { keyId, context: { record: context.slice(0, end), field: context.slice(end + 1) }, data };
}

/** One spelling only: Node's decoder passes over bits that are left over, so that two texts would be one value. */
function decode(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text, "base64url");
  return bytes.toString("base64url") === text ? bytes : undefined;
}

/** The same body as `authConfig` of MCP servers spells it: `vault:v1.…`. */
export function toVaultText(sealed: string): string {
  if (!readSealed(sealed)) throw new TypeError("Only a sealed value can be spelled as vault:….");
  return `vault:${sealed.slice(4, -1)}`;
}

/** The sealed value that `vault:v1.…` stands for; undefined when it is not well-formed. */
export function fromVaultText(text: string): string | undefined {
  if (!text.startsWith("vault:")) return undefined;
  const sealed = `ENC(${text.slice("vault:".length)})`;
  return readSealed(sealed) ? sealed : undefined;
}
