import { type KeyObject, sign, verify, type X509Certificate } from "node:crypto";

/** Larger ones are used nowhere, and hold this process up for a second each time they sign. */
export const mostKeyBits = 8192;

/** Whether a private key is that of a certificate. */
export function fits(certificate: X509Certificate, key: KeyObject): boolean {
  try {
    // It compares what both say the public key is, and a damaged private key may still say the right one.
    if (!certificate.checkPrivateKey(key)) return false;
    const algorithm = algorithmOf(key);
    const probe = Buffer.from("pawl");
    return verify(algorithm, probe, certificate.publicKey, sign(algorithm, probe, key));
  } catch {
    return false;
  }
}

/** What such a key signs with; null where its kind says that by itself. */
function algorithmOf({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string | null {
  if (type === "rsa-pss") return details?.hashAlgorithm ?? "sha256";
  return type === "rsa" || type === "ec" || type === "dsa" ? "sha256" : null;
}
