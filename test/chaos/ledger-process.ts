import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A process of its own: what it has written down is true whatever dies beside it.

const failsBeforeItWorks = 2;
const slowMs = 40;
const calls: [key: string, at: number][] = [];
const counts = new Map<string, number>();

const server = createServer((message, response) => {
  message.resume();
  response.setHeader("content-type", "application/json");
  if (message.url === "/ledger") return response.end(JSON.stringify(calls));
  const key = String(message.headers["idempotency-key"]);
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  calls.push([key, Date.now()]);
  if (message.url === "/refuse") response.statusCode = 400;
  if (message.url === "/flaky" && count <= failsBeforeItWorks) response.statusCode = 503;
  const answer = () => response.end(JSON.stringify({ key }));
  if (message.url === "/slow") setTimeout(answer, slowMs);
  else answer();
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
