import { pause } from "./live-keyring.ts";
import { countOthers, type SealedChange, type SealedItem, type SealedSource } from "./sealed-source.ts";
import { SealError, type Vault } from "./vault.ts";

/** How hard it works: requests go before it. */
export interface Pace {
  batch: number;
  /** The pause after a batch, in parts of the time that the batch took. */
  rest: number;
}

export const usualPace: Pace = { batch: 100, rest: 1 };

/**
 * Seals anew, with the key `keyId`, all that another key sealed; answers how many values no key opens. It remembers
 * nothing: what is left is what the sources list. A value that changes meanwhile is left to who changed it.
 */
export async function resealAll(options: {
  vault: Vault;
  sources: readonly SealedSource[];
  keyId: string;
  pace?: Pace | undefined;
  signal: AbortSignal;
  /** Called after each batch, to say that it goes on. Throws when it must not. */
  keep(progress: { unreadable: number }): Promise<void>;
}): Promise<number> {
  const { sources, keyId } = options;
  let left = Number.POSITIVE_INFINITY;
  for (;;) {
    const pass: Pass = { unreadable: 0, passedOver: 0 };
    for (const source of sources) await resealSource(options, source, pass);
    const now = await countOthers(sources, keyId);
    // Sealed by a request that began before the key did: another pass. One that leaves as many as it found, and met nobody,
    // has only those that nothing opens.
    if (now <= pass.unreadable || (now >= left && pass.passedOver === 0)) return pass.unreadable;
    if (now >= left) await pause(heldMs, options.signal);
    left = now;
  }
}

interface Pass {
  /** Values that no key opens. */
  unreadable: number;
  /** Values that were changed, or held by somebody who may change them. */
  passedOver: number;
}

/** How long to leave alone those who hold a value. */
const heldMs = 250;

async function resealSource(
  { vault, keyId, pace = usualPace, signal, keep }: Parameters<typeof resealAll>[0],
  source: SealedSource,
  pass: Pass,
): Promise<void> {
  let cursor: string | undefined;
  do {
    signal.throwIfAborted();
    const begun = performance.now();
    const { items, next } = await source.batch(keyId, cursor, pace.batch);
    const changes = items.flatMap((item) => sealedAnew(vault, source, item) ?? []);
    pass.unreadable += items.length - changes.length;
    pass.passedOver += changes.length - (await put(source, changes));
    await keep({ unreadable: pass.unreadable });
    cursor = next;
    if (items.length > 0) await pause((performance.now() - begun) * pace.rest, signal);
  } while (cursor !== undefined);
}

/** Undefined when nothing opens it. */
function sealedAnew(vault: Vault, { purpose }: SealedSource, item: SealedItem): SealedChange | undefined {
  const { record, field, sealed } = item;
  try {
    const plaintext = vault.open(purpose, { record, field }, sealed);
    return { ...item, anew: vault.seal(purpose, { record, field }, plaintext) };
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

/** Answers how many took the place of those that were there. */
async function put(source: SealedSource, changes: readonly SealedChange[]): Promise<number> {
  if (changes.length === 0) return 0;
  if (source.replaceAll) return source.replaceAll(changes);
  let count = 0;
  for (const { record, field, sealed, anew } of changes) {
    if (await source.replace(record, field, sealed, anew)) count++;
  }
  return count;
}
