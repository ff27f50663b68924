import { createPrivateKey, type KeyObject } from "node:crypto";
import type { FaultDetail } from "../../contract/errors.ts";
import { derivationCost, mostDerivation } from "./derivation-cost.ts";
import { mostKeyBits } from "./fit.ts";

/** Reads a private key in PEM, with its passphrase where it has one. */
export function parseKey(pem: string, passphrase: string | undefined): KeyObject | { faults: FaultDetail[] } {
  const blocks =
    pem.match(/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z0-9 ]*PRIVATE KEY-----/g) ?? [];
  const [block] = blocks;
  if (block === undefined) {
    return fault("must be a private key in PEM, which begins with -----BEGIN PRIVATE KEY-----.");
  }
  if (blocks.length > 1) return fault("must be one private key: there are more of them.");
  if (block.includes("BEGIN OPENSSH")) {
    return fault("is a key for SSH. Convert it: ssh-keygen -p -m PKCS8 -f FILE");
  }
  // To derive a key from a passphrase holds this process up, and the text says for how long.
  if (derivationCost(block) > mostDerivation) {
    return fault(
      "is protected with so many rounds that it is not opened here. Send it with fewer, or without a passphrase.",
    );
  }
  try {
    const key = createPrivateKey({ key: block, ...(passphrase === undefined ? {} : { passphrase }) });
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return bits > mostKeyBits ? fault(`has ${bits} bits: ${mostKeyBits} are taken at most.`) : key;
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === "ERR_MISSING_PASSPHRASE")
      return fault("is needed: the private key is protected.", "/passphrase");
    if (isProtected(block))
      return fault("does not open the private key, or the key is damaged.", "/passphrase");
    return fault("can't be read: its text is damaged, or it is of a kind that is not known.");
  }
}

function isProtected(pem: string): boolean {
  return pem.includes("BEGIN ENCRYPTED PRIVATE KEY") || /^Proc-Type: 4,ENCRYPTED/m.test(pem);
}

function fault(message: string, path = "/privateKey"): { faults: FaultDetail[] } {
  return { faults: [{ path, message }] };
}
