import { ApiError, type FaultDetail } from "../contract/errors.ts";
import type { Purpose } from "../vault/keyring.ts";
import type { SealContext } from "../vault/sealed-text.ts";
import { SealError, type Vault } from "../vault/vault.ts";

/** Whether a text that was sent has the form of a sealed value: none such is taken for a secret itself. */
export function looksSealed(text: string): boolean {
  return text.startsWith("ENC(") && text.endsWith(")");
}

/** @throws ApiError DECRYPT_FAILED, the same whatever the cause */
export function openSealed(vault: Vault, purpose: Purpose, context: SealContext, sealed: string): string {
  try {
    return vault.open(purpose, context, sealed);
  } catch (error) {
    if (error instanceof SealError) throw decryptFailed();
    throw error;
  }
}

export function decryptFailed(): ApiError {
  return new ApiError("DECRYPT_FAILED", new SealError().message);
}

/** @param paths of what must be entered again */
export function reentryRequired(message: string, paths: string[]): ApiError {
  const details: FaultDetail[] = paths.map((path) => ({ path, message: "must be entered again." }));
  return new ApiError("SECRET_REENTRY_REQUIRED", message, { details });
}
