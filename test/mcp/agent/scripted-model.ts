import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { httpServer } from "../../helpers/http-server.ts";

/** What an agent sends to its model, as OpenAI's API has it. */
export interface Asked {
  model: string;
  messages: { role: string; content: unknown; tool_calls?: unknown[]; tool_call_id?: string }[];
  tools?: { function: { name: string; description: string; parameters: unknown } }[];
  headers: IncomingHttpHeaders;
  path: string;
}

/** An answer: the last words, calls (name and arguments; text is sent as it is), or whatever a test does with the response. */
export type Says =
  | string
  | { calls: [name: string, args: object | string][]; text?: string; usage?: object }
  | ((response: ServerResponse, asked: Asked) => unknown);

/** A server that speaks OpenAI's API and says what it was told to say, in this order. */
export async function scriptedModel(script: Says[]) {
  const asked: Asked[] = [];
  const server = await httpServer(async (request, response) => {
    const body = (await json(request)) as Asked;
    const { headers, url } = request;
    asked.push({ ...body, headers, path: url! });
    const says = script.shift();
    if (says === undefined) return response.writeHead(500).end("The script is at its end.");
    if (typeof says === "function") return says(response, asked.at(-1)!);
    return answer(response, says);
  });
  return { ...server, baseUrl: `${server.url}/v1`, asked, script };
}

export function answer(response: ServerResponse, says: Exclude<Says, (...args: never) => unknown>): void {
  const { text = null, calls = [], usage } = typeof says === "string" ? { text: says } : says;
  const message = {
    role: "assistant",
    content: text,
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(([name, args], i) => ({
            id: `call-${i}-${name}`,
            type: "function",
            function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
          })),
        }),
  };
  const choice = { index: 0, message, finish_reason: calls.length === 0 ? "stop" : "tool_calls" };
  response.setHeader("content-type", "application/json").end(
    JSON.stringify({
      id: "1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [choice],
      usage: usage ?? { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    }),
  );
}

/** What the model is shown last: the results of the calls that it asked for. */
export function resultsIn({ messages }: Asked): unknown[] {
  const last = messages.findLastIndex(({ role }) => role !== "tool");
  return messages.slice(last + 1).map(({ content }) => content);
}
