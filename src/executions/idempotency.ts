import { createHash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { StartRequest, StartResponse } from "../contract/execution.ts";
import type { ExecutionStore } from "./store.ts";

/** A start as it is told from others with the same key. */
interface KeyedStart {
  principalId: string;
  key: string;
  body: StartRequest;
}

/**
 * The start that an earlier request with this key made. It is looked for before the job is: that may have changed or gone
 * since, and a client that asks again because the answer was lost must hear of its execution.
 * @throws ApiError IDEMPOTENCY_CONFLICT when the key came with another body within 24 h
 */
export async function findEarlierStart(
  store: ExecutionStore,
  { principalId, key, body }: KeyedStart,
): Promise<StartResponse | undefined> {
  const kept = await store.findKey(principalId, key);
  if (!kept) return undefined;
  requireSameBody(kept, hashOf(body));
  return store.findStarted(kept.executionId);
}

/**
 * The execution id that an Idempotency-Key stands for: `fresh` when this request is the first with it.
 * The id is kept before the start is made; a repeated start with the same id makes nothing new.
 * @throws ApiError IDEMPOTENCY_CONFLICT when the key came with another body within 24 h
 */
export async function claimKey(
  store: ExecutionStore,
  claim: KeyedStart & { executionId: string },
): Promise<string> {
  const hash = hashOf(claim.body);
  const kept = await store.keepKey(claim.principalId, claim.key, hash, claim.executionId);
  requireSameBody(kept, hash);
  return kept.executionId;
}

function hashOf(body: StartRequest): Buffer {
  return createHash("sha256").update(JSON.stringify(body)).digest();
}

function requireSameBody(kept: { executionId: string; bodyHash: Buffer }, hash: Buffer): void {
  if (kept.bodyHash.equals(hash)) return;
  throw new ApiError(
    "IDEMPOTENCY_CONFLICT",
    `The Idempotency-Key was used before with another body, for execution ${kept.executionId}. Use a new key for a new start.`,
  );
}
