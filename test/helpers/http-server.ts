import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

export interface TestHttpServer {
  url: string;
  port: number;
  /** What was asked, in order. */
  requests: IncomingMessage[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** A server on loopback for the length of a test; `await using` closes it with all its connections. */
export async function httpServer(listener: RequestListener): Promise<TestHttpServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    listener(request, response);
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Answers with what it was asked, as JSON. */
export const echo: RequestListener = async (request, response) => {
  const { method, url, headers } = request;
  const body = await text(request);
  response.setHeader("content-type", "application/json").end(JSON.stringify({ method, url, headers, body }));
};
