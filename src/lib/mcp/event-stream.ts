/**
 * The `data` of each server-sent event, as it comes. Every character is looked at once: a stranger may send a megabyte without a line
 * break, or a byte at a time.
 */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let line: string[] = [];
  let data: string[] = [];
  const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>);
  for await (const part of text) {
    const pieces = part.split("\n");
    for (const [i, piece] of pieces.entries()) {
      line.push(piece);
      if (i === pieces.length - 1) break;
      const whole = line.join("").replace(/\r$/, "");
      line = [];
      if (whole.startsWith("data:")) data.push(whole.slice("data:".length).replace(/^ /, ""));
      else if (whole === "" && data.length > 0) {
        yield data.join("\n");
        data = [];
      }
    }
  }
}
