import { type AuditHead, linkOf } from "./chain.ts";
import type { AuditStore } from "./store.ts";

export interface AuditFault {
  seq: number;
  message: string;
}

export interface AuditVerdict {
  entries: number;
  head: AuditHead;
  faults: AuditFault[];
  /** Faults beyond those that are listed. */
  more: number;
}

const batch = 2_000;
const mostFaults = 100;

/**
 * Follows the chain from its first line to its head: finds lines that were altered, put in or taken out, in the middle and
 * at the end. Whoever sets the whole database back to an earlier state is found by an `expected` head that was noted since.
 */
export async function verifyChain(
  store: Pick<AuditStore, "head" | "after">,
  key: Buffer,
  expected?: AuditHead,
): Promise<AuditVerdict> {
  // Lines that are written meanwhile are the next verification's.
  const head = await store.head();
  const verdict: AuditVerdict = { entries: 0, head, faults: [], more: 0 };
  const fault = (seq: number, message: string) => {
    if (verdict.faults.length < mostFaults) verdict.faults.push({ seq, message });
    else verdict.more++;
  };
  let last: AuditHead = { seq: 0, hash: Buffer.alloc(0) };
  let expectedSeen = expected === undefined;

  for (;;) {
    const rows = await store.after(last.seq, batch);
    for (const row of rows) {
      if (row.seq > head.seq) break;
      const gap = row.seq - last.seq - 1;
      if (gap > 0) fault(last.seq + 1, missing(last.seq + 1, row.seq - 1));
      // After a gap the hash before is not known, and what follows can't be judged by it.
      else if (!linkOf(key, last.hash, row).equals(row.hash)) {
        fault(row.seq, "This line was altered, or put in by somebody else.");
      }
      if (row.seq === expected?.seq) expectedSeen = row.hash.equals(expected.hash);
      verdict.entries++;
      last = row;
    }
    if (rows.length < batch || rows.at(-1)!.seq > head.seq) break;
  }
  if (last.seq < head.seq) fault(last.seq + 1, missing(last.seq + 1, head.seq));
  else if (!last.hash.equals(head.hash))
    fault(head.seq, "The head of the chain is not that of its last line.");
  if (!expectedSeen) {
    fault(
      expected!.seq,
      "The line that was noted as the head is not there: the record was cut off or set back since.",
    );
  }
  return verdict;
}

function missing(from: number, to: number): string {
  return from === to ? "This line is missing." : `The lines ${from} to ${to} are missing.`;
}
