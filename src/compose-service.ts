import { timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { type Client, createClient } from "./client/client.ts";
import { ClientError } from "./client/error.ts";
import type { Configuration } from "./compose-configuration.ts";
import { certificateRoutes } from "./configuration/certificate/routes.ts";
import { connectionRoutes } from "./configuration/connection/routes.ts";
import { findByIdOrName } from "./configuration/named.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import { createApp } from "./http/app.ts";
import type { Audit } from "./http/audit.ts";
import { inProcessFetch } from "./http/in-process.ts";
import type { Principal } from "./http/principal.ts";
import { newToken } from "./identity/tokens.ts";
import type { KnownReferences } from "./jobs/references.ts";

/** Where steps have their connections and certificates from: this process, or another Pawl. The client is the same. */
export interface ConfigurationService {
  /** As which execution it asks is on the audit record. */
  clientFor(executionId: string): Client;
  findConnection: KnownReferences["findConnection"];
  /** Its id. */
  findCertificate(idOrName: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** As whom steps use secrets. Its token is made at each start, kept nowhere, and works on no listener. */
export const runtime: Principal = {
  id: "runtime",
  name: "pawl runtime",
  authorities: ["ConfigService:Connection:decrypt", "ConfigService:Certificate:decrypt"],
  jobs: null,
  tokenId: "runtime",
};

export interface ServiceDeps {
  configuration: Configuration;
  log: FastifyBaseLogger;
  audit: Audit;
}

/**
 * The service of this process, by its internal endpoints on an app that listens nowhere: it is open until the last step has
 * ended, when the one that callers reach has long closed.
 */
export async function serviceInProcess({
  configuration,
  log,
  audit,
}: ServiceDeps): Promise<ConfigurationService> {
  const { connections, certificates } = configuration;
  const token = newToken();
  const expected = Buffer.from(`Bearer ${token}`);
  const app = await createApp({
    logger: log,
    authenticate(given = "") {
      const bytes = Buffer.from(given);
      if (bytes.length === expected.length && timingSafeEqual(bytes, expected)) return runtime;
      throw new ApiError("UNAUTHENTICATED", "Only steps that run may ask here.");
    },
    isStoreUnavailable,
    audit,
  });
  connectionRoutes(app, connections);
  certificateRoutes(app, certificates);
  const fetch = inProcessFetch(app);
  return {
    clientFor: (executionId) =>
      createClient({ url: "http://configuration.invalid", token, fetch: as(executionId, fetch) }),
    async findConnection(which) {
      if ("id" in which) return connections.store.find(which.id);
      return (await connections.store.findNamed(which.name, which.connectionType))[0];
    },
    findCertificate: async (idOrName) => (await findByIdOrName(certificates.store, idOrName))?.id,
    close: () => app.close(),
  };
}

/** The service of another Pawl, over HTTP. */
export function remoteService({ url, token }: { url: string; token: string }): ConfigurationService {
  const client = createClient({ url, token });
  const connectionId = async (which: Parameters<KnownReferences["findConnection"]>[0]) => {
    if ("id" in which) return which.id;
    const { data } = await client.checkConnectionIdentity({ body: which });
    return data.existingConnectionId ?? undefined;
  };
  return {
    clientFor: (executionId) => createClient({ url, token, fetch: as(executionId, fetch) }),
    findConnection: (which) =>
      ifThere(async () => {
        const id = await connectionId(which);
        return id === undefined ? undefined : (await client.getConnection({ params: { id } })).data;
      }),
    findCertificate: (idOrName) =>
      ifThere(async () => {
        // By a search, since not every name can stand in a path.
        const named = (field: string) => ({
          [field]: {
            operator: "and" as const,
            constraints: [{ value: idOrName, matchMode: "equals" as const }],
          },
        });
        const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(idOrName);
        for (const field of isId ? ["id", "name"] : ["name"]) {
          const { data } = await client.searchCertificates({ body: { filters: named(field), size: 1 } });
          if (data[0]) return data[0].id;
        }
        return undefined;
      }),
    close: async () => {},
  };
}

function as(executionId: string, through: typeof fetch): typeof fetch {
  return (address, init) =>
    through(address, { ...init, headers: { ...init?.headers, "user-agent": `execution ${executionId}` } });
}

/** @throws ApiError STORE_UNAVAILABLE: to the caller who saves a job, the other Pawl is a part of this one */
async function ifThere<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ClientError)) throw error;
    if (error.code === "NOT_FOUND") return undefined;
    throw new ApiError(
      "STORE_UNAVAILABLE",
      `The configuration service can't be asked just now: ${error.message}`,
      {
        retryAfter: 5,
        cause: error,
      },
    );
  }
}
