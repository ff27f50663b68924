import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Route } from "../contract/routes.ts";
import type { Principal } from "./principal.ts";

/** Who did it. Without an id: nobody with an account, such as the holder of a link, or Pawl itself. */
export interface AuditActor {
  id: string | null;
  name: string;
  tokenId: string | null;
}

export const auditOutcomes = ["success", "forbidden", "failed"] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/** One line of the audit record. Never a value, never a secret: names of fields only. */
export interface AuditEntry {
  actor: AuditActor;
  /** The name of the route in the table, or a verb of the part that records it. */
  action: string;
  target: { type: string; id: string | null; name: string | null };
  /** Names of the fields that changed. */
  changed: readonly string[];
  outcome: AuditOutcome;
  /** Null: nobody asked for it. `ip` is null where it was asked for within Pawl, and not over HTTP. */
  request: { id: string; ip: string | null; client: string } | null;
}

export interface Audit {
  /**
   * Resolves when the entry is durable. While the database is away it is kept in memory and tried again: what was done is
   * answered as done. Never throws.
   */
  record(entry: AuditEntry): Promise<void>;
  /** For what must not happen unseen: call it before. @throws ApiError STORE_UNAVAILABLE when the entry can't be written */
  mustRecord(entry: AuditEntry): Promise<void>;
}

/** What a handler says of its request besides who, when and from where; what it leaves out is taken from the route. */
export interface AuditNote {
  target?: { type?: string; id?: string | null; name?: string | null };
  changed?: readonly string[];
  action?: string;
  /** Given, the note is recorded whatever the answer will be. */
  outcome?: AuditOutcome;
  /** Who it was, on a route that anybody may call. */
  by?: string;
}

declare module "fastify" {
  interface FastifyRequest {
    auditNotes: AuditNote[] | null;
    /** What must not happen unseen is recorded already. */
    audited: boolean;
  }
  interface FastifyInstance {
    audit: Audit;
  }
}

export const noAudit: Audit = { record: async () => {}, mustRecord: async () => {} };

/** Pawl itself, for what nobody asked for. */
export const pawlItself: AuditActor = { id: null, name: "pawl", tokenId: null };

/** Whether requests of this route leave a line: those that change something, and those that say so. */
export function isAudited({ audits, method, access }: Route): boolean {
  return audits === undefined ? method !== "GET" && !access.endsWith(":read") : audits !== false;
}

/**
 * Records every request that changed something, or was forbidden to, in one place: before the answer is sent, so that
 * what was answered as done is on record. Other refusals changed nothing. A 5xx may have, and is recorded as failed.
 */
export function auditRequests(app: FastifyInstance, audit: Audit): void {
  app.decorate("audit", audit);
  app.decorateRequest("auditNotes", null);
  app.decorateRequest("audited", false);
  app.addHook("onRoute", (options) => {
    const entry = options.config?.pawl;
    // A hook on every route would cost reads and starts something too.
    if (!entry || !isAudited(entry.route)) return;
    options.onSend = [
      ...[options.onSend ?? []].flat(),
      async (request: FastifyRequest, reply: FastifyReply) => {
        const recorded = entriesOf(request, reply.statusCode).map((line) => audit.record(line));
        // What failed is not answered as done: while the database is away its answer has waited long enough.
        if (reply.statusCode < 500) await Promise.all(recorded);
      },
    ];
  });
}

function entriesOf(request: FastifyRequest, status: number): AuditEntry[] {
  const notes = request.auditNotes ?? [];
  const outcome = outcomeOf(request, status);
  if (outcome === undefined)
    return notes.filter((note) => note.outcome).map((note) => entryOf(request, note));
  // A note of an own outcome speaks for itself; without any the route alone is the line.
  const lines = notes.length > 0 || request.audited ? notes : [{}];
  return lines.map((note) => entryOf(request, { outcome, ...note }));
}

function outcomeOf(request: FastifyRequest, status: number): AuditOutcome | undefined {
  if (status === 403) return request.principal || request.refused ? "forbidden" : undefined;
  if (status >= 500) return "failed";
  return status < 400 && !request.routeOptions.config.pawl!.route.ownHistory ? "success" : undefined;
}

/** The line that a request leaves, with what its handler said of it. */
export function entryOf(request: FastifyRequest, note: AuditNote): AuditEntry {
  const { name, route } = request.routeOptions.config.pawl!;
  const { target = {} } = note;
  return {
    actor: actorOf(request.principal ?? request.refused, note.by),
    action: note.action ?? name,
    target: {
      type: target.type ?? (route.audits || route.tag.toLowerCase()),
      id: target.id ?? idIn(request.params),
      name: target.name ?? null,
    },
    changed: note.changed ?? [],
    outcome: note.outcome ?? "success",
    request: {
      id: request.id,
      ip: request.ip,
      client: (request.headers["user-agent"] ?? "").slice(0, 200),
    },
  };
}

/** The actor that a principal is. */
export function actorOf(principal: Principal | null, otherwise = "anybody"): AuditActor {
  if (principal === null) return { id: null, name: otherwise, tokenId: null };
  return { id: principal.id, name: principal.name, tokenId: principal.tokenId };
}

/** Only what is called an id: a token in the path is a key to what is behind it. */
function idIn(params: unknown): string | null {
  const ids = Object.entries((params ?? {}) as Record<string, unknown>).filter(([name]) =>
    /^id$|Id$/.test(name),
  );
  const id = ids[0]?.[1];
  return typeof id === "string" ? id.slice(0, 200) : null;
}
