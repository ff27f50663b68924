import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import type { TestContext } from "node:test";
import type { FastifyBaseLogger, InjectOptions } from "fastify";
import pino from "pino";
import type { JobLimits } from "../../src/contract/identity.ts";
import { isStoreUnavailable } from "../../src/db/faults.ts";
import { createPool } from "../../src/db/pool.ts";
import { createApp } from "../../src/http/app.ts";
import type { Audit } from "../../src/http/audit.ts";
import { redact } from "../../src/http/log.ts";
import { createAuthenticator } from "../../src/identity/authenticate.ts";
import { ensureAdmin } from "../../src/identity/first-start.ts";
import { createRecorder } from "../../src/identity/last-used.ts";
import { mcpSessionOpener } from "../../src/identity/mcp-session.ts";
import { identityRoutes } from "../../src/identity/routes.ts";
import { createSessions } from "../../src/identity/sessions.ts";
import { createTestDatabase } from "./database.ts";

/** The identity routes on a database of their own, with an administrator and a clock that can be set. */
export async function identityApp(t: TestContext, options: { audit?: Audit } = {}) {
  const database = await createTestDatabase();
  const pool = createPool({ url: database.url, max: 8 });
  let log = "";
  const sink = new Writable({
    write(line, _encoding, done) {
      log += line;
      done();
    },
  });
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const logger = pino({ level: "trace", redact }, sink) as FastifyBaseLogger;
  const uses = createRecorder(pool, { log: logger });
  const sessions = createSessions(randomBytes(32));
  const authenticator = createAuthenticator(pool, { uses, sessions, now });
  const openMcpSession = mcpSessionOpener({ authenticator, sessions, publicUrl: () => "", now });
  const app = await createApp({
    logger,
    authenticate: authenticator.authenticate,
    isStoreUnavailable,
    ...options,
  });
  identityRoutes(app, { pool, authenticator, uses, openMcpSession, now });
  const admin = (await ensureAdmin(pool, { keep: async () => {} }))!;
  t.after(async () => {
    await app.close();
    await uses.close();
    await pool.end();
    await database.drop();
  });

  async function call(token: string | undefined, method: string, url: string, payload?: object) {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const response = await app.inject({
      method,
      url,
      headers,
      ...(payload ? { payload } : {}),
    } as InjectOptions);
    return { response, status: response.statusCode, body: response.json(), data: response.json().data };
  }

  /** A principal with these rights and a token of its own. */
  async function principal(name: string, authorities: string[], jobs: JobLimits | null = null) {
    const made = await call(admin, "POST", "/principal", { name, authorities, jobs });
    const id: string = made.data.id;
    const issued = await call(admin, "POST", "/token", { principalId: id, name: "test" });
    return { id, token: issued.data.token as string, tokenId: issued.data.id as string };
  }

  return { app, pool, uses, sessions, admin, authenticator, call, principal, clock, log: () => log };
}
