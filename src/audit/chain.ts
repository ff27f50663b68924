import { createHmac } from "node:crypto";
import type { AuditEntry, AuditOutcome } from "../http/audit.ts";
import { newId } from "../lib/ids.ts";

/** An entry as it is kept, before it has its place in the chain. */
export interface AuditLine {
  id: string;
  at: Date;
  principalId: string | null;
  principalName: string;
  tokenId: string | null;
  action: string;
  targetType: string;
  targetId: string | null;
  targetName: string | null;
  changed: string[];
  outcome: AuditOutcome;
  ip: string | null;
  client: string | null;
  requestId: string | null;
}

/** A line in its place. */
export interface AuditRow extends AuditLine {
  seq: number;
  hash: Buffer;
}

/** Where a chain ends; `seq` 0 and no hash for one without lines. */
export interface AuditHead {
  seq: number;
  hash: Buffer;
}

const longestText = 500;
const mostChanged = 100;

export function lineOf(entry: AuditEntry, at = new Date()): AuditLine {
  const { actor, action, target, changed, outcome, request } = entry;
  return {
    id: newId(),
    at,
    principalId: textOrNull(actor.id),
    principalName: text(actor.name),
    tokenId: textOrNull(actor.tokenId),
    action: text(action),
    targetType: text(target.type),
    targetId: textOrNull(target.id),
    targetName: textOrNull(target.name),
    changed: changed.slice(0, mostChanged).map(text),
    outcome,
    ip: textOrNull(request?.ip),
    client: textOrNull(request?.client),
    requestId: textOrNull(request?.id),
  };
}

/** What a person typed must not keep a line from being written: the database takes neither NUL nor half a surrogate pair. */
function text(given: string): string {
  return given.slice(0, longestText).toWellFormed().replaceAll("\0", "\ufffd");
}

function textOrNull(given: string | null | undefined): string | null {
  return given == null ? null : text(given);
}

/** Puts lines at the end of a chain. */
export function chained(key: Buffer, head: AuditHead, lines: readonly AuditLine[]): AuditRow[] {
  let { seq, hash } = head;
  return lines.map((line) => {
    seq++;
    hash = linkOf(key, hash, { ...line, seq });
    return { ...line, seq, hash };
  });
}

/** The hash of a row: of the one before it and all that it says, with a key that only Pawl has. */
export function linkOf(key: Buffer, previous: Buffer, row: AuditLine & { seq: number }): Buffer {
  const canonical = JSON.stringify([
    1,
    previous.toString("hex"),
    row.seq,
    row.id,
    row.at.toISOString(),
    row.principalId,
    row.principalName,
    row.tokenId,
    row.action,
    row.targetType,
    row.targetId,
    row.targetName,
    row.changed,
    row.outcome,
    row.ip,
    row.client,
    row.requestId,
  ]);
  return createHmac("sha256", key).update(canonical).digest();
}
