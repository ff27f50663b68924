export const keyBytes = 32;

/** 32 bytes written as 64 hex digits or in base64; undefined for any other text, and for one that nobody drew at random. */
export function readKey(text: string): Buffer | undefined {
  const given = text.trim();
  const key = /^[0-9a-f]{64}$/i.test(given)
    ? Buffer.from(given, "hex")
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(given)
      ? Buffer.from(given, "base64")
      : undefined;
  return key?.length === keyBytes && !isMadeUp(key) ? key : undefined;
}

/**
 * What people type instead of drawing it: a passphrase in base64, a row of equal or rising bytes. Of random keys less than
 * one in a thousand million is refused by this.
 */
function isMadeUp(key: Buffer): boolean {
  if (new Set(key).size < 16) return true;
  if (key.every((byte) => byte >= 0x20 && byte < 0x7f)) return true;
  const step = (key[1]! - key[0]! + 256) % 256;
  return key.every((byte, index) => index === 0 || (byte - key[index - 1]! + 256) % 256 === step);
}
