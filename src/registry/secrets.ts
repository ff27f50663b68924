import { ApiError, type FaultDetail } from "../contract/errors.ts";
import { secretMask } from "../contract/mcp-server.ts";
import { fromVaultText, toVaultText } from "../vault/sealed-text.ts";
import type { Vault } from "../vault/vault.ts";
import { mapSecrets, secretsOf } from "./auth-config.ts";

export type Config = Record<string, unknown>;

/** What is stored of a server whose authConfig is replaced. */
export interface Former {
  config: Config;
  /** Its URL led to the same origin: what is kept goes where it went before. */
  sameOrigin: boolean;
}

/**
 * Seals every credential of an authConfig for its place in this record. What is sealed already (`vault:…`) stays as it is, and a
 * mask keeps what is stored there.
 * @throws ApiError VALIDATION_FAILED (a mask where nothing is kept), SECRET_REENTRY_REQUIRED (kept, but for another origin)
 */
export function sealConfig(vault: Vault, record: string, config: Config, former?: Former): Config {
  const stored = former ? secretsOf(former.config) : new Map<string, unknown>();
  const nothingToKeep: FaultDetail[] = [];
  const kept: string[] = [];
  const sealed = mapSecrets(config, ({ path, value }) => {
    const text = value as string;
    if (text === secretMask) {
      kept.push(path);
      if (!stored.has(path)) nothingToKeep.push(noneStored(path));
      return stored.get(path);
    }
    if (text.startsWith("vault:")) {
      kept.push(path);
      return text;
    }
    return toVaultText(vault.seal("mcp", { record, field: path }, text));
  });
  if (nothingToKeep.length > 0) {
    const [first] = nothingToKeep;
    throw new ApiError("VALIDATION_FAILED", `The request is not valid: ${first!.path} ${first!.message}`, {
      details: nothingToKeep,
    });
  }
  if (former && !former.sameOrigin && kept.length > 0) {
    throw new ApiError(
      "SECRET_REENTRY_REQUIRED",
      "The URL leads to another origin, and the stored credentials were not meant for it. Enter them again, or the ones of the new server.",
      { details: kept.map((path) => ({ path: `/authConfig${path}`, message: "must be entered again." })) },
    );
  }
  return sealed;
}

function noneStored(path: string): FaultDetail {
  return {
    path: `/authConfig${path}`,
    message: "is a mask, and there is no value that it could keep. Enter the value.",
  };
}

/**
 * An authConfig in the clear. Only for the call that contacts the server.
 * @throws SealError
 */
export function openConfig(vault: Vault, record: string, config: Config): Config {
  return mapSecrets(config, ({ path, value }) => {
    // Not well-formed: `open` refuses it as it does any other that it can't open.
    const sealed = fromVaultText(String(value)) ?? "";
    return vault.open("mcp", { record, field: path }, sealed);
  });
}
