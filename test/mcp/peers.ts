import { type ChildProcess, spawn } from "node:child_process";
import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer as createTcp } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export interface Peer {
  url: string;
  [Symbol.asyncDispose](): Promise<void>;
}

const modules = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const script = (path: string) => `${modules}${path}`;
const memory = script("@modelcontextprotocol/server-memory/dist/index.js");
const filesystem = script("@modelcontextprotocol/server-filesystem/dist/index.js");

/** The reference server of the protocol: legacy, with sessions. */
export function everything(): Promise<Peer> {
  return peer("/mcp", (port) => [
    { PORT: String(port) },
    script("@modelcontextprotocol/server-everything/dist/index.js"),
    "streamableHttp",
  ]);
}

/** The same over the transport of 2024, which has no POST at its address. */
export function everythingSse(): Promise<Peer> {
  return peer("/sse", (port) => [
    { PORT: String(port) },
    script("@modelcontextprotocol/server-everything/dist/index.js"),
    "sse",
  ]);
}

/** A server on stdio behind a proxy that wants an API key and speaks both eras. */
export function memoryBehindKey(key: string, file: string): Promise<Peer> {
  return peer("/mcp", (port) => [
    { MEMORY_FILE_PATH: file },
    script("mcp-proxy/dist/bin/mcp-proxy.mjs"),
    ...["--port", String(port), "--host", "127.0.0.1", "--server", "stream", "--apiKey", key],
    ...["--", process.execPath, memory],
  ]);
}

/** Tools with real effects on files, stateless, without a credential. */
export function filesystemIn(folder: string): Promise<Peer> {
  return peer("/mcp", (port) => [
    {},
    script("supergateway/dist/index.js"),
    ...["--stdio", `${process.execPath} ${filesystem} ${folder}`],
    ...["--outputTransport", "streamableHttp", "--port", String(port)],
  ]);
}

/** Lets through what has this header with this value, and answers 401 to the rest. */
export async function behindHeader(target: Peer, name: string, value: string): Promise<Peer> {
  const server = createServer((request, response) => {
    if (request.headers[name.toLowerCase()] !== value) {
      request.resume();
      return response.writeHead(401, { "www-authenticate": "Basic" }).end();
    }
    const to = new URL(request.url!, target.url);
    const { method, headers } = request;
    const forwarded = httpRequest(
      to,
      { method: method!, headers: { ...headers, host: to.host } },
      (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      },
    );
    forwarded.on("error", () => response.destroy());
    response.on("close", () => forwarded.destroy());
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Command = [env: Record<string, string>, ...args: string[]];

/** Starts a server of its own process on a free port, and answers when it takes connections. */
async function peer(path: string, command: (port: number) => Command): Promise<Peer> {
  const port = await freePort();
  const [env, ...args] = command(port);
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // What it starts itself ends with it.
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const kill = () => killGroup(child);
  process.once("exit", kill);
  const down = ended.then(() => {
    throw new Error(`The peer ended before it took connections: ${output}`);
  });
  await Promise.race([accepts(port), down]);
  down.catch(() => {});
  return {
    url: `http://127.0.0.1:${port}${path}`,
    async [Symbol.asyncDispose]() {
      process.off("exit", kill);
      kill();
      await ended;
    },
  };
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, "SIGKILL");
  } catch {
    // It is gone already.
  }
}

async function freePort(): Promise<number> {
  const server = createTcp();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Servers that are not ours give no other sign in common: it is tried until it answers. */
async function accepts(port: number): Promise<void> {
  while (!(await takes(port))) await delay(30);
}

function takes(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
