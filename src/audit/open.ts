import type pg from "pg";
import { type AuditStore, auditStore } from "./store.ts";
import { type AuditLog, type AuditWriter, createAuditWriter } from "./write.ts";

export interface OpenAudit {
  audit: AuditWriter;
  store: AuditStore;
  key: Buffer;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

/** The audit record, and a note of its head in the log each hour that it grew: kept elsewhere, it tells of a cut at the end. */
export function openAudit({ pool, key, log }: { pool: pg.Pool; key: Buffer; log: AuditLog }): OpenAudit {
  const store = auditStore(pool);
  const audit = createAuditWriter({ store, key, log });
  let noted = 0;

  async function noteHead(): Promise<void> {
    const { seq, hash } = await store.head();
    if (seq === noted) return;
    noted = seq;
    log.info({ head: `${seq}:${hash.toString("hex")}` }, "The head of the audit record.");
  }

  const hourly = setInterval(() => noteHead().catch(() => {}), hourMs).unref();
  return {
    audit,
    store,
    key,
    async close() {
      clearInterval(hourly);
      await audit.close();
      await noteHead().catch(() => {});
    },
  };
}
