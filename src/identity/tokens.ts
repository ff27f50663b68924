import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

const PREFIX = "pawl_";
const SHAPE = /^pawl_([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

/** A new API token: 256 random bits and a checksum, by which scanners of leaked secrets know one from a look-alike. */
export function newToken(): string {
  const secret = randomBytes(32).toString("base64url");
  return `${PREFIX}${secret}${checksum(secret)}`;
}

/** Whether the text has the form of a token; most of what guessers send does not, and costs no query. */
export function looksLikeToken(text: string): boolean {
  const match = SHAPE.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

/** What is stored. A plain hash will do: nobody can try out 256 random bits, and a slow one would tax every request. */
export function hashOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** What people recognise a token by: 48 of its 256 bits. */
export function prefixOf(token: string): string {
  return token.slice(0, PREFIX.length + 8);
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, "0");
}
