import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between Pawl and its database, to play the network. */
export interface DatabaseProxy {
  /** Of the same database, by way of this proxy. */
  url: string;
  /** Ends all connections and refuses new ones, as a server that is down. */
  cut(): void;
  /** Takes everything and passes nothing on, as a network that is broken: nobody is told. */
  freeze(): void;
  /** Passes on again, what was held back included. */
  resume(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let mode: "open" | "cut" | "frozen" = "open";

  const server = createServer({ allowHalfOpen: true }, (near) => {
    if (mode === "cut") return near.resetAndDestroy();
    const far = connect({ host: target.hostname, port: Number(target.port), allowHalfOpen: true });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
      if (mode === "frozen") socket.pause();
    }
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  function destroyAll(): void {
    for (const socket of sockets) socket.resetAndDestroy();
  }

  return {
    url: url.href,
    cut() {
      mode = "cut";
      destroyAll();
    },
    freeze() {
      mode = "frozen";
      for (const socket of sockets) socket.pause();
    },
    resume() {
      mode = "open";
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      destroyAll();
      server.close();
      await once(server, "close");
    },
  };
}

function pass(from: Socket, to: Socket): void {
  from.on("data", (bytes) => void to.write(bytes));
  from.on("end", () => to.end());
}
