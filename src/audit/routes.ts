import type { FastifyInstance } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { route } from "../http/route.ts";
import { presentLine, presentVerdict } from "./present.ts";
import { requireWhole, searchAudit } from "./search.ts";
import type { AuditStore } from "./store.ts";
import { verifyChain } from "./verify.ts";

export function auditRoutes(app: FastifyInstance, { store, key }: { store: AuditStore; key: Buffer }): void {
  let verifying = false;

  route(app, "searchAudit", async ({ principal, body }) => {
    const { rows, total, page, size } = await searchAudit(store, principal, body);
    const message = total === 0 ? "No lines found." : total === 1 ? "1 line found." : `${total} lines found.`;
    return { data: rows.map(presentLine), meta: { totalElements: total, page, size }, message };
  });

  route(app, "verifyAudit", async ({ principal, body: { expected } }) => {
    requireWhole(principal);
    // It reads the whole record: several at a time would be a way to slow Pawl down.
    if (verifying)
      throw new ApiError("OVERLOADED", "The audit record is being verified already. Wait for that.");
    verifying = true;
    try {
      const noted = expected && { seq: expected.seq, hash: Buffer.from(expected.hash, "hex") };
      const data = presentVerdict(await verifyChain(store, key, noted));
      const count = data.faults.length + data.more;
      const message = data.intact
        ? `The audit record is intact: ${data.entries} lines.`
        : `The audit record was tampered with: ${count === 1 ? "1 fault" : `${count} faults`}.`;
      return { data, message };
    } finally {
      verifying = false;
    }
  });
}
