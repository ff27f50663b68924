/** About half a second. OpenSSL writes 2,048 rounds, careful tools a million. */
export const mostDerivation = 1_200_000;

/**
 * How much work an encrypted PKCS #8 key asks for before its passphrase is known to be right: rounds of PBKDF2, or the
 * product of scrypt's numbers. Infinity where that can't be told.
 */
export function derivationCost(pem: string): number {
  const base64 = /-----BEGIN ENCRYPTED PRIVATE KEY-----([\s\S]*?)-----END/.exec(pem)?.[1];
  if (base64 === undefined) return 0;
  try {
    // EncryptedPrivateKeyInfo: the algorithm with its parameters, then the key, which is an OCTET STRING and so no number.
    const numbers = integersIn(Buffer.from(base64.replace(/\s/g, ""), "base64"), 0);
    // PBKDF2 has its rounds and perhaps the length of a key; scrypt has three numbers at least.
    return numbers.length < 3 ? (numbers[0] ?? 0) : numbers[0]! * numbers[1]! * numbers[2]!;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const SEQUENCE = 0x30;
const INTEGER = 0x02;
const mostDepth = 16;

/** The INTEGERs of a DER value, those in SEQUENCEs included. Throws RangeError on what is no DER. */
function integersIn(der: Buffer, depth: number): number[] {
  if (depth > mostDepth) throw new RangeError("too deep");
  const found: number[] = [];
  for (let at = 0; at < der.length; ) {
    const { tag, content, next } = element(der, at);
    if (tag === SEQUENCE) found.push(...integersIn(content, depth + 1));
    if (tag === INTEGER) found.push(Number(BigInt(`0x${content.toString("hex") || "0"}`)));
    at = next;
  }
  return found;
}

function element(der: Buffer, at: number): { tag: number; content: Buffer; next: number } {
  const tag = der.readUInt8(at);
  const first = der.readUInt8(at + 1);
  const bytes = first & 0x80 ? first & 0x7f : 0;
  if (first === 0x80 || bytes > 4) throw new RangeError("no definite length");
  const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
  const start = at + 2 + bytes;
  if (start + length > der.length) throw new RangeError("cut off");
  return { tag, content: der.subarray(start, start + length), next: start + length };
}
