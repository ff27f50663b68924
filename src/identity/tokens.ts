import { hash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";

/** What a token is made for. People and scanners of leaked secrets see it in the token itself. */
export type TokenKind = "api" | "mcp";

const prefixes: Record<TokenKind, string> = { api: "pawl_", mcp: "pawl_mcp_" };
const SHAPE = /^pawl_(mcp_)?([A-Za-z0-9_-]{43})([0-9a-f]{8})$/;

/** A new token: 256 random bits and a checksum, by which scanners of leaked secrets know one from a look-alike. */
export function newToken(kind: TokenKind = "api"): string {
  const secret = randomBytes(32).toString("base64url");
  return `${prefixes[kind]}${secret}${checksum(secret)}`;
}

/** What a text that has the form of a token is for; most of what guessers send does not have it, and costs no query. */
export function kindOfToken(text: string): TokenKind | undefined {
  const [, marked, secret, sum] = SHAPE.exec(text) ?? [];
  if (secret === undefined || checksum(secret) !== sum) return undefined;
  return marked ? "mcp" : "api";
}

/** What is stored. A plain hash will do: nobody can try out 256 random bits, and a slow one would tax every request. */
export function hashOf(token: string): Buffer {
  return hash("sha256", token, "buffer");
}

/** What people recognise a token by: 48 of its 256 bits. */
export function prefixOf(token: string): string {
  const { length } = token.startsWith(prefixes.mcp) ? prefixes.mcp : prefixes.api;
  return token.slice(0, length + 8);
}

function checksum(secret: string): string {
  return crc32(secret).toString(16).padStart(8, "0");
}
