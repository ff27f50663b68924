import { createHash } from "node:crypto";
import { ApiError } from "../contract/errors.ts";
import type { StartRequest } from "../contract/execution.ts";
import type { ExecutionStore } from "./store.ts";

/**
 * The execution id that an Idempotency-Key stands for: `fresh` when this request is the first with it.
 * The id is kept before the start is made; a repeated start with the same id makes nothing new.
 * @throws ApiError IDEMPOTENCY_CONFLICT when the key came with another body within 24 h
 */
export async function claimKey(
  store: ExecutionStore,
  claim: { principalId: string; key: string; body: StartRequest; executionId: string },
): Promise<string> {
  const hash = createHash("sha256").update(JSON.stringify(claim.body)).digest();
  const kept = await store.keepKey(claim.principalId, claim.key, hash, claim.executionId);
  if (!kept.bodyHash.equals(hash)) {
    throw new ApiError(
      "IDEMPOTENCY_CONFLICT",
      `The Idempotency-Key was used before with another body, for execution ${kept.executionId}. Use a new key for a new start.`,
    );
  }
  return kept.executionId;
}
