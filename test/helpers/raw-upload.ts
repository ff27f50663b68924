import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { FastifyInstance } from "fastify";

/** An upload by hand: headers and this much of the body; what becomes of the socket is for the test to say. */
export async function beginUpload(
  { app, admin }: { app: FastifyInstance; admin: string },
  target: string,
  body: Buffer | string,
  { announced, type = "text/plain" }: { announced: number; type?: string },
): Promise<Socket> {
  if (!app.server.listening) await app.listen({ port: 0, host: "127.0.0.1" });
  const socket = connect((app.server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {});
  socket.write(
    `POST ${target} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${admin}\r\n` +
      `content-type: ${type}\r\ncontent-length: ${announced}\r\n\r\n`,
  );
  socket.write(body);
  return socket;
}

/** Waits for what has no signal of its own. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const giveUp = Date.now() + 10_000; !(await holds()); ) {
    if (Date.now() > giveUp) throw new Error("It does not come to that.");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
