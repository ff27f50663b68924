import { randomBytes } from "node:crypto";
import { VaultError } from "./fault.ts";
import type { KeyringStore } from "./kept-keys.ts";
import type { Vault } from "./vault.ts";

/**
 * Seals a secret, writes it the way all are written, and looks at the row itself: it must be ciphertext, and open again.
 * A slip that stored secrets as they are would go unseen until the database is in wrong hands.
 * @throws VaultError CANARY
 */
export async function showCanary(vault: Vault, store: KeyringStore): Promise<void> {
  const secret = `canary-${randomBytes(16).toString("hex")}`;
  const context = { record: "canary", field: "secret" };
  const sealed = vault.seal("canary", context, secret);
  const raw = await store.change((_kept, change) => change.writeCanary(sealed));
  const forms = (["utf8", "hex", "base64", "base64url"] as const).map((form) =>
    Buffer.from(secret).toString(form),
  );
  if (forms.some((form) => raw.includes(form.replace(/=+$/, "")))) {
    throw new VaultError(
      "CANARY",
      "A secret that was sealed for a trial stands readable in the database. Pawl does not start.",
    );
  }
  const stored = /ENC\([^()]*\)/.exec(raw)?.[0];
  if (stored === undefined || vault.open("canary", context, stored) !== secret) {
    throw new VaultError(
      "CANARY",
      "A secret that was sealed for a trial does not come back from the database as it was.",
    );
  }
}
