const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// The connection's own: set by hand they break it, or let one request pass for two.
const notByHand: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What is wrong with a header that is to be sent; undefined: nothing. */
export function headerFault(name: string, value: unknown): string | undefined {
  if (!token.test(name)) return "has a name that HTTP does not allow.";
  if (notByHand.has(name.toLowerCase())) return "belongs to the connection and can't be set.";
  if (typeof value === "string" && hasControl(value)) {
    return "has a line break or another control character in it.";
  }
  return undefined;
}

function hasControl(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((code < 32 && code !== 9) || code === 127 || code > 255) return true;
  }
  return false;
}
