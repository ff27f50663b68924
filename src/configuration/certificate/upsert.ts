import { createPrivateKey, type KeyObject, type X509Certificate } from "node:crypto";
import type { CertificateInput } from "../../contract/certificate.ts";
import { ApiError, type FaultDetail } from "../../contract/errors.ts";
import type { Principal } from "../../http/principal.ts";
import { throwFaults } from "../../http/validate.ts";
import { newId } from "../../lib/ids.ts";
import type { Vault } from "../../vault/vault.ts";
import { noSuch, refusingTakenNames, requireVersion } from "../named.ts";
import { openSealed, reentryRequired } from "../sealed.ts";
import type { RecordUsage } from "../usage.ts";
import { fits } from "./fit.ts";
import { chainFault, detailsOf, type ParsedChain, parseChain } from "./parse-chain.ts";
import { parseKey } from "./parse-key.ts";
import { type CertificateRow, type CertificateStore, sealedField } from "./store.ts";

export interface CertificateDeps {
  store: CertificateStore;
  usageOf: RecordUsage;
  vault: Vault;
}

export interface UpsertedCertificate {
  certificate: CertificateRow;
  outcome: "created" | "changed" | "unchanged";
  /** Names of the fields that differ from before. */
  changed: string[];
}

const mostTries = 5;

/** What was sent, read and found in order; the key is undefined where the one that is there is to stay. */
interface Given extends ParsedChain {
  key: KeyObject | null | undefined;
}

/**
 * Creates the certificate, or changes the one of its name (or of its id). Of two at once, one creates and the other changes.
 * @throws ApiError VALIDATION_FAILED, NOT_FOUND (an id that is not there), CONFLICT (the name is taken, or another version is
 * current), DECRYPT_FAILED, SECRET_REENTRY_REQUIRED (the key that is there does not fit the new certificate)
 */
export async function upsertCertificate(
  { store, vault }: CertificateDeps,
  principal: Principal,
  input: CertificateInput,
  expectedVersion?: number,
): Promise<UpsertedCertificate> {
  const given = read(input);
  const key = input.id === undefined ? { name: input.name } : { id: input.id };
  for (let tried = 0; tried < mostTries; tried++) {
    const done = await refusingTakenNames("certificate", "certificate_name", input.name, () =>
      store.transaction(async (client): Promise<UpsertedCertificate | undefined> => {
        const current = await store.lock(client, key);
        if (!current && (input.id !== undefined || expectedVersion !== undefined))
          throw noSuch("certificate");
        if (current) requireVersion("certificate", current, expectedVersion);
        const id = current?.id ?? newId();
        const sealed = sealedKey(vault, id, given, current);
        const row = rowOf(id, principal, input, given, sealed, current);
        const changed = changedFields(row, current);
        if (current && changed.length === 0) return { certificate: current, outcome: "unchanged", changed };
        if (current) await store.update(client, row);
        else if (!(await store.insert(client, row))) return undefined;
        return { certificate: row, outcome: current ? "changed" : "created", changed };
      }),
    );
    if (done) return done;
  }
  throw new ApiError("CONFLICT", "The certificate is created and deleted by others just now. Try again.");
}

function read({ certificate, privateKey, passphrase }: CertificateInput): Given {
  const chain = parseChain(certificate);
  const key = typeof privateKey === "string" ? parseKey(privateKey, passphrase) : privateKey;
  throwFaults([
    ...("faults" in chain ? chain.faults : []),
    ...(key && "faults" in key ? key.faults : []),
    ...(passphrase !== undefined && typeof privateKey !== "string"
      ? [{ path: "/passphrase", message: "is of no use without a private key." }]
      : []),
  ]);
  const read = { ...(chain as ParsedChain), key: key as KeyObject | null | undefined };
  if (read.key) throwFaults(fitFaults(read.certificates, read.key));
  return read;
}

function fitFaults(certificates: readonly X509Certificate[], key: KeyObject): FaultDetail[] {
  const chain = chainFault(certificates);
  return [
    ...(fits(certificates[0]!, key)
      ? []
      : [{ path: "/privateKey", message: "is not the key of the first certificate." }]),
    ...(chain ? [chain] : []),
  ];
}

/** The key as it is kept from now on: sealed anew, as it was, or none. */
function sealedKey(
  vault: Vault,
  id: string,
  given: Given,
  current: CertificateRow | undefined,
): string | null {
  const context = { record: id, field: sealedField };
  if (given.key) {
    const pem = given.key.export({ type: "pkcs8", format: "pem" }).toString();
    return vault.seal("certificate", context, pem);
  }
  if (given.key === null || !current?.sealed) return null;
  if (given.pem === current.chain) return current.sealed;
  const kept = createPrivateKey(openSealed(vault, "certificate", context, current.sealed));
  if (!fits(given.certificates[0]!, kept)) {
    throw reentryRequired(
      "The certificate has another key than the one that is kept: send its private key too, or null to keep none.",
      ["/privateKey"],
    );
  }
  const fault = chainFault(given.certificates);
  if (fault) throwFaults([fault]);
  return current.sealed;
}

function rowOf(
  id: string,
  principal: Principal,
  { name, description = "" }: CertificateInput,
  { pem, certificates }: Given,
  sealed: string | null,
  current: CertificateRow | undefined,
): CertificateRow {
  const now = new Date();
  return {
    id,
    name,
    description,
    chain: pem,
    details: certificates.map(detailsOf),
    sealed,
    version: (current?.version ?? 0) + 1,
    createdAt: current?.createdAt ?? now,
    createdBy: current?.createdBy ?? principal.name,
    updatedAt: now,
    updatedBy: principal.name,
  };
}

function changedFields(row: CertificateRow, current: CertificateRow | undefined): string[] {
  const changed: string[] = [];
  if (row.name !== current?.name) changed.push("name");
  if (row.description !== (current?.description ?? "")) changed.push("description");
  if (row.chain !== current?.chain) changed.push("certificate");
  if (row.sealed !== (current?.sealed ?? null)) changed.push("privateKey");
  return changed;
}
