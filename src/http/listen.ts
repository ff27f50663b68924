import type { FastifyInstance } from "fastify";

/** Takes requests from now on; what keeps it from that is told as what to do about it. */
export async function listen(app: FastifyInstance, at: { host: string; port: number }): Promise<void> {
  try {
    await app.listen(at);
  } catch (cause) {
    throw new Error(explain((cause as NodeJS.ErrnoException).code, at) ?? (cause as Error).message, {
      cause,
    });
  }
}

function explain(
  code: string | undefined,
  { host, port }: { host: string; port: number },
): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is taken. End what listens there, or choose another port with PAWL_PORT.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `${host} is not an address of this machine. Set PAWL_HOST to one that is, or to 0.0.0.0 for all of them.`;
    case "EACCES":
      return `This account may not listen on port ${port} of ${host}. Choose one above 1023 with PAWL_PORT.`;
    default:
      return undefined;
  }
}
