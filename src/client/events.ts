/** Server-sent events of a body, as they come; comments and what is not whole are left out. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<never> {
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part;
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

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}
