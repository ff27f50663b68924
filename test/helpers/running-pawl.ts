import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Dispatcher, Pool } from "undici";
import { type Client, createClient } from "../../src/client/client.ts";
import { loadConfig } from "../../src/config.ts";
import type { JobExecution } from "../../src/contract/execution.ts";
import type { JobLimits } from "../../src/contract/identity.ts";
import { startPawl } from "../../src/main.ts";
import { createTestDatabase } from "./database.ts";
import { scratchRoot } from "./scratch.ts";

/** A request as it goes over the wire: the path is sent as it is, and so is a body that is text or bytes. */
export interface Raw {
  method: string;
  path: string;
  /** Null: none. Left out: the administrator's. */
  token?: string | null | undefined;
  headers?: Record<string, string>;
  body?: string | Buffer | object | undefined;
}

export type Received = Awaited<ReturnType<RunningPawl["send"]>>;
export type RunningPawl = Awaited<ReturnType<typeof startTestPawl>>;

/** Nobody answers for so long: the request hangs. */
const HANGS_MS = 60_000;

let made = 0;

/**
 * The whole server in this process, on a database of its own and a free port. `env` is what it is configured with besides;
 * nothing is read of this process's environment.
 */
export async function startTestPawl(env: Record<string, string> = {}) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(scratchRoot(), "pawl-server-test-"));
  const settings = {
    DATABASE_URL: database.url,
    PAWL_DATA_DIR: dataDir,
    PAWL_PORT: "0",
    PAWL_LOG_LEVEL: "silent",
    // The tests themselves send wrong tokens by the hundred.
    PAWL_SIGN_IN_LIMIT: "0",
  };
  const config = loadConfig({ ...settings, PAWL_SHUTDOWN_GRACE: "0", ...env }, { envFile: null });
  const pawl = await startPawl(config);
  const { url } = pawl;
  const admin = pawl.adminToken!;
  const client = createClient({ url, token: admin });
  const connections = new Pool(url, { connections: 32, headersTimeout: HANGS_MS, bodyTimeout: HANGS_MS });

  async function send({ method, path, token = admin, headers = {}, body }: Raw) {
    const isRaw = body === undefined || typeof body === "string" || Buffer.isBuffer(body);
    const answer = await connections.request({
      method: method as Dispatcher.HttpMethod,
      path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      body: isRaw ? (body ?? null) : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, headers: answer.headers, text, json: jsonOf(text) };
  }

  /** A principal with these rights, a token of its own, and a client that uses it. */
  async function principal(authorities: string[], jobs: JobLimits | null = null) {
    const input = { name: `principal ${++made}`, authorities, jobs };
    const { data } = await client.createPrincipal({ body: input });
    const issued = await client.createToken({ body: { principalId: data.id, name: "test" } });
    const { token, id: tokenId } = issued.data;
    return { id: data.id, name: data.name, token, tokenId, client: createClient({ url, token }) };
  }

  /** Reads an execution until this holds of it: the API has no other signal for one that was started without waiting. */
  async function readUntil(id: string, holds: (execution: JobExecution) => boolean): Promise<JobExecution> {
    const giveUp = Date.now() + HANGS_MS;
    for (;;) {
      const { data } = await client.getExecution({ params: { id } });
      if (holds(data)) return data;
      if (Date.now() > giveUp) throw new Error(`It does not come to that: ${JSON.stringify(data)}`);
      await delay(5);
    }
  }

  async function close(): Promise<void> {
    await connections.destroy();
    await pawl.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  }

  return {
    url,
    databaseUrl: database.url,
    admin,
    client,
    send,
    principal,
    signInLink: pawl.signInLink,
    readUntil,
    ended: (id: string) => readUntil(id, (execution) => execution.endTime !== null),
    as: (token: string): Client => createClient({ url, token }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What was received as JSON; undefined when it is none. */
function jsonOf(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
