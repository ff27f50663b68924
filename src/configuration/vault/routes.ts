import type { FastifyInstance } from "fastify";
import { ApiError } from "../../contract/errors.ts";
import { route } from "../../http/route.ts";
import { VaultError } from "../../vault/fault.ts";
import type { OpenVault } from "../../vault/open.ts";
import { presentVault } from "./present.ts";

/** What an operator does to the keys. They stand here because the vault itself knows nothing of HTTP. */
export function vaultRoutes(
  app: FastifyInstance,
  keys: Pick<OpenVault, "status" | "rotate" | "rewrap">,
): void {
  route(app, "readVault", async () => {
    const data = presentVault(await keys.status());
    return { data, message: `${data.values} sealed values, ${data.keys.length} keys.` };
  });
  route(app, "rotateVault", async (call) => {
    const status = await refusing(keys.rotate(call.principal.name));
    call.audit({ target: { id: status.rotation?.keyId ?? null } });
    return {
      data: presentVault(status),
      message:
        "A new key is made, and everything is sealed anew with it. GET /admin/vault shows how far it is.",
    };
  });
  route(app, "rewrapVault", async (call) => {
    const count = await refusing(keys.rewrap());
    call.audit({ changed: count > 0 ? ["masterKey"] : [] });
    const message =
      count > 0
        ? `The master key is changed; ${count} keys were wrapped anew. The previous one is not needed any more.`
        : "The master key is in force already. To change it, start Pawl with the new one and the previous one.";
    return { data: { keys: count }, message };
  });
}

async function refusing<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof VaultError && error.code === "BUSY")
      throw new ApiError("INVALID_STATE", error.message);
    throw error;
  }
}
