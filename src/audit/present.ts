import type { AuditRecord, AuditVerdict as ShownVerdict } from "../contract/audit.ts";
import type { AuditRow } from "./chain.ts";
import type { AuditVerdict } from "./verify.ts";

export function presentLine(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    seq: row.seq,
    at: row.at.toISOString(),
    principalId: row.principalId,
    principal: row.principalName,
    tokenId: row.tokenId,
    action: row.action,
    targetType: row.targetType,
    targetId: row.targetId,
    targetName: row.targetName,
    changed: row.changed,
    outcome: row.outcome,
    ip: row.ip,
    client: row.client,
    requestId: row.requestId,
  };
}

export function presentVerdict({ entries, head, faults, more }: AuditVerdict): ShownVerdict {
  return {
    intact: faults.length === 0,
    entries,
    head: { seq: head.seq, hash: head.hash.toString("hex") },
    faults,
    more,
  };
}
