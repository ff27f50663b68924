import { ExpressionFault } from "./fault.ts";

/** A text cut at its `{{ … }}`: plain pieces and the sources of expressions, with their offsets. */
export type Piece = { text: string } | { source: string; at: number };

/**
 * Cuts a text. Inside an expression, quotes and braces are read as CEL reads them, so that `}}` in a text or at the end
 * of nested maps does not end it.
 * @throws ExpressionFault
 */
export function scan(text: string): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf("{{", from);
    if (open < 0) break;
    if (open > from) pieces.push({ text: text.slice(from, open) });
    const close = endOf(text, open + 2);
    if (close === undefined) throw new ExpressionFault('"{{" has no "}}" that ends it.', open);
    const source = text.slice(open + 2, close);
    if (source.trim() === "") {
      throw new ExpressionFault(
        `There is nothing between "{{" and "}}"; {{ '{{' }} writes two braces.`,
        open,
      );
    }
    pieces.push({ source, at: open + 2 });
    from = close + 2;
  }
  if (from < text.length || pieces.length === 0) pieces.push({ text: text.slice(from) });
  return pieces;
}

/** Offset of the `}}` that ends an expression. */
function endOf(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"' || char === "'") {
      const end = endOfText(text, at);
      if (end === undefined) return undefined;
      at = end;
    } else if (char === "{") depth++;
    else if (char === "}") {
      if (depth === 0) return text[at + 1] === "}" ? at : undefined;
      depth--;
    } else if (char === "/" && text[at + 1] === "/") {
      // A comment runs to the end of its line; in a text of one line nothing could follow it.
      const line = text.indexOf("\n", at);
      if (line < 0) return undefined;
      at = line;
    }
  }
  return undefined;
}

/** Offset of the last quote of a CEL text that starts here. */
function endOfText(text: string, start: number): number | undefined {
  const quote = text[start]!;
  const triple = text.startsWith(quote.repeat(3), start);
  const end = triple ? quote.repeat(3) : quote;
  // cel-js lets a backslash guard the next character in raw texts too.
  for (let at = start + end.length; at < text.length; at++) {
    if (text[at] === "\\") at++;
    else if (text.startsWith(end, at)) return at + end.length - 1;
  }
  return undefined;
}
