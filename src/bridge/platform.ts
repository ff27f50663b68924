import { type Client, createClient } from "../client/client.ts";
import type { AssistantClient, McpSession } from "../contract/bridge.ts";

/** What the platform says of an assistant's token. In one process a function of identity; apart, a route. */
export type OpenSession = (token: string, resource: string) => Promise<McpSession>;

/** Where the platform's API answers. */
export interface Platform {
  url: string;
  fetch?: typeof fetch;
  openSession: OpenSession;
}

export type ActiveSession = Extract<McpSession, { active: true }>;

/** An assistant that calls a tool, and the user that it acts for. */
export interface Caller {
  userId: string;
  userName: string;
  client: AssistantClient;
  /** Within its scopes, what its user may do. */
  authorities: ReadonlySet<string>;
  /** Where people read of an execution. */
  runUrl(executionId: string): string;
  /** Calls the platform as that user, within those scopes. */
  platform: Client;
}

export function callerOf(
  session: ActiveSession,
  { url, fetch }: Pick<Platform, "url" | "fetch">,
  named: Omit<AssistantClient, "id">,
): Caller {
  return {
    userId: session.principalId,
    userName: session.principalName,
    client: { id: session.clientId, ...named },
    authorities: new Set(session.authorities),
    runUrl: (executionId) => `${session.pawlUrl}/executions/${executionId}`,
    platform: createClient({ url, token: session.session, ...(fetch ? { fetch } : {}) }),
  };
}
