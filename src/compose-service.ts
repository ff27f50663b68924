import { timingSafeEqual } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import { type Client, createClient } from "./client/client.ts";
import { ClientError } from "./client/error.ts";
import type { Configuration } from "./compose-configuration.ts";
import { type RecordService, recordsInProcess, remoteRecords, searchById } from "./compose-records.ts";
import { certificateRoutes } from "./configuration/certificate/routes.ts";
import { connectionRoutes } from "./configuration/connection/routes.ts";
import { findByIdOrName } from "./configuration/named.ts";
import type { VariableValue } from "./configuration/variable/load.ts";
import { ApiError } from "./contract/errors.ts";
import { isStoreUnavailable } from "./db/faults.ts";
import { createApp } from "./http/app.ts";
import type { Audit } from "./http/audit.ts";
import { inProcessFetch } from "./http/in-process.ts";
import type { Principal } from "./http/principal.ts";
import { newToken } from "./identity/tokens.ts";
import type { StepSources } from "./jobs/confidential.ts";
import type { KnownReferences } from "./jobs/references.ts";

/** Where steps have connections, variables, certificates and the other records from: this process, or another Pawl. */
export interface ConfigurationService {
  /** As which execution it asks is on the audit record. */
  clientFor(executionId: string): Client;
  findConnection: KnownReferences["findConnection"];
  /** Its id. */
  findCertificate(idOrName: string): Promise<string | undefined>;
  findVariables: KnownReferences["findVariables"];
  loadVariables: StepSources["loadVariables"];
  records: RecordService;
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
  const { connections, certificates, variables } = configuration;
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
    findVariables: async (names) => new Set((await variables.store.load([...names])).map(({ name }) => name)),
    loadVariables: (names) => configuration.loadVariables(names),
    records: recordsInProcess(configuration),
    close: () => app.close(),
  };
}

/** The service of another Pawl, over HTTP. */
export function remoteService({ url, token }: { url: string; token: string }): ConfigurationService {
  const client = createClient({ url, token });
  const clientFor = (executionId: string) => createClient({ url, token, fetch: as(executionId, fetch) });
  const connectionId = async (which: Parameters<KnownReferences["findConnection"]>[0]) => {
    if ("id" in which) return which.id;
    const { data } = await client.checkConnectionIdentity({ body: which });
    return data.existingConnectionId ?? undefined;
  };
  return {
    clientFor,
    findConnection: (which) =>
      ifThere(async () => {
        const id = await connectionId(which);
        return id === undefined ? undefined : (await client.getConnection({ params: { id } })).data;
      }),
    findCertificate: (idOrName) =>
      ifThere(async () => (await searchById(client.searchCertificates, idOrName))?.id),
    async findVariables(names) {
      const found = new Set<string>();
      for (const some of inGroups(names)) {
        const filters = {
          name: { operator: "and" as const, constraints: [{ value: some, matchMode: "in" as const }] },
        };
        const data = await ifThere(
          async () => (await client.searchVariables({ body: { filters, size: most } })).data,
        );
        for (const { name } of data ?? []) found.add(name);
      }
      return found;
    },
    async loadVariables(names, executionId, signal) {
      const values = new Map<string, VariableValue>();
      for (const some of inGroups(names)) {
        const { data } = await clientFor(executionId).decryptVariables({ body: { names: some }, signal });
        for (const { name, value, secret } of data) values.set(name, { value, secret });
      }
      return values;
    },
    records: remoteRecords(clientFor, ifThere),
    close: async () => {},
  };
}

/** Names that one request may have. */
const most = 100;

function* inGroups(given: readonly string[]): Generator<string[]> {
  // No request takes a NUL, and nothing is called so.
  const names = given.filter((name) => !name.includes("\0"));
  for (let at = 0; at < names.length; at += most) yield names.slice(at, at + most);
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
