/** Server-sent events of a body, as they come; comments and what is not whole are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<never> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of chunksOf(body)) {
    text += decoder.decode(part, { stream: true });
    // Pawl ends lines with \n only.
    const frames = text.split("\n\n");
    text = frames.pop()!;
    for (const frame of frames) {
      const fields = new Map(frame.split("\n").map((line) => fieldOf(line)));
      const data = fields.get("data");
      if (data === undefined) continue;
      yield { event: fields.get("event"), id: fields.get("id"), data: JSON.parse(data) } as never;
    }
  }
}

/** Not every browser can iterate over a stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    // Whoever stops listening lets go of the connection.
    await reader.cancel().catch(() => {});
  }
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
