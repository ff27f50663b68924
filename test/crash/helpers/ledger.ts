import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** The world outside Pawl: writes down every call of a step, by its Idempotency-Key. */
export interface Ledger {
  url: string;
  /** How often each key has come. */
  calls: ReadonlyMap<string, number>;
  /** Resolves at the so-many-th call from now on. */
  nthCall(count: number): Promise<void>;
  /** Resolves once all that a dead process had sent has been written down. */
  quiet(): Promise<void>;
  /** Holds back every answer from now on; the function answers them all and ends that. */
  hold(): () => void;
  [Symbol.asyncDispose](): Promise<void>;
}

const failsBeforeItWorks = 2;
const slowMs = 25;

/** `/effect` works, `/slow` takes its time, `/flaky` works at its third call of a key, `/refuse` never does. */
export async function openLedger(): Promise<Ledger> {
  const calls = new Map<string, number>();
  const waiting = new Set<{ left: number; resolve(): void }>();
  const held: (() => void)[] = [];
  let holding = false;

  const server = createServer((message, response) => {
    message.resume();
    const key = message.headers["idempotency-key"];
    if (typeof key !== "string") return response.end();
    const count = (calls.get(key) ?? 0) + 1;
    calls.set(key, count);
    for (const waiter of waiting) {
      if (--waiter.left > 0) continue;
      waiting.delete(waiter);
      waiter.resolve();
    }
    const answer = () => {
      if (message.url === "/refuse") response.statusCode = 400;
      if (message.url === "/flaky" && count <= failsBeforeItWorks) response.statusCode = 503;
      response.setHeader("content-type", "application/json").end(JSON.stringify({ count }));
    };
    if (holding) held.push(answer);
    else if (message.url === "/slow") setTimeout(answer, slowMs);
    else answer();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;

  return {
    url,
    calls,
    nthCall: (count) => new Promise((resolve) => waiting.add({ left: count, resolve })),

    async quiet() {
      // Connections are taken in their order: once this one was served, none of the dead process's is left untaken.
      const [response] = await once(request(url, { agent: false }).end(), "response");
      response.resume();
      await once(response, "close");
      const openConnections = () =>
        new Promise<number>((resolve, reject) =>
          server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
        );
      while ((await openConnections()) > 0) await new Promise(setImmediate);
    },

    hold() {
      holding = true;
      return () => {
        holding = false;
        for (const answer of held.splice(0)) answer();
      };
    },

    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
