import { type KeyObject, X509Certificate } from "node:crypto";
import type { CertificateDetails } from "../../contract/certificate.ts";
import type { FaultDetail } from "../../contract/errors.ts";

export interface ParsedChain {
  /** PEM of each, written anew: whatever else was in the text is gone. */
  pem: string;
  certificates: X509Certificate[];
}

const most = 50;
const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g;

/** Reads the certificates of a PEM text; everything that is wrong with it is a fault. */
export function parseChain(text: string): ParsedChain | { faults: FaultDetail[] } {
  const blocks = [...text.matchAll(block)].map(([pem, label]) => ({ pem, label: label! }));
  const foreign = blocks.find(({ label }) => label !== "CERTIFICATE" && label !== "X509 CERTIFICATE");
  // It would be kept in the clear, and shown.
  if (foreign?.label.includes("PRIVATE KEY")) return fault("holds a private key: send that as privateKey.");
  if (foreign) return fault(`holds a ${foreign.label}: only certificates belong here.`);
  if (blocks.length === 0) {
    return fault("must be one certificate or more in PEM, which begins with -----BEGIN CERTIFICATE-----.");
  }
  if (blocks.length > most) return fault(`must have ${most} certificates at most.`);
  const certificates: X509Certificate[] = [];
  for (const [i, { pem }] of blocks.entries()) {
    const certificate = read(pem.replaceAll("X509 CERTIFICATE", "CERTIFICATE"));
    if (!certificate)
      return fault(`has a certificate, the ${nth(i)}, that can't be read: its text is damaged.`);
    certificates.push(certificate);
  }
  return { pem: certificates.map((one) => one.toString()).join(""), certificates };
}

function read(pem: string): X509Certificate | undefined {
  try {
    const certificate = new X509Certificate(pem);
    // OpenSSL takes any, and PostgreSQL knows no year 0.
    const dates = [certificate.validFromDate, certificate.validToDate];
    return dates.every((date) => date.getUTCFullYear() > 0) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** Whether each certificate was signed by the next one: the order in which TLS sends them. */
export function chainFault(certificates: readonly X509Certificate[]): FaultDetail | undefined {
  for (let i = 0; i + 1 < certificates.length; i++) {
    const [one, next] = [certificates[i]!, certificates[i + 1]!];
    if (one.checkIssued(next) && isSignedBy(one, next)) continue;
    return {
      path: "/certificate",
      message: `must be a chain in order: the ${nth(i + 1)} certificate (${subjectOf(next)}) did not issue the ${nth(i)} (${subjectOf(one)}).`,
    };
  }
  return undefined;
}

export function detailsOf(certificate: X509Certificate): CertificateDetails {
  return {
    subject: subjectOf(certificate),
    issuer: nameOf(certificate.issuer),
    serialNumber: certificate.serialNumber.toLowerCase(),
    subjectAltNames: altNamesOf(certificate.subjectAltName),
    notBefore: certificate.validFromDate.toISOString(),
    expiresAt: certificate.validToDate.toISOString(),
    fingerprint: certificate.fingerprint256.replaceAll(":", "").toLowerCase(),
    keyType: keyTypeOf(certificate),
    isAuthority: certificate.ca,
  };
}

function isSignedBy(one: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return one.verify(issuer.publicKey);
  } catch {
    return false;
  }
}

function subjectOf(certificate: X509Certificate): string {
  return nameOf(certificate.subject);
}

/** Node puts each part of a name on a line. */
function nameOf(name: string | undefined): string {
  return clean((name ?? "").split("\n").join(", "));
}

/** Node writes a name that could be taken for two as a JSON string, without a comma. */
function altNamesOf(text: string | undefined): string[] {
  const names = text ? text.split(", ").slice(0, 1000) : [];
  return names.map((name) => {
    const [, kind, quoted] = /^([^:]*:)(".*")$/s.exec(name) ?? [];
    return clean(quoted === undefined ? name : `${kind}${JSON.parse(quoted)}`);
  });
}

function keyTypeOf(certificate: X509Certificate): string {
  try {
    return keyType(certificate.publicKey);
  } catch {
    // Of a kind that OpenSSL does not know.
    return "unknown";
  }
}

function keyType({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string {
  return [type ?? "unknown", details?.modulusLength ?? details?.namedCurve ?? ""].join(" ").trim();
}

/** What PostgreSQL would refuse may stand in a certificate. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\u2400");
}

function nth(index: number): string {
  const n = index + 1;
  const suffix =
    n % 10 === 1 && n !== 11
      ? "st"
      : n % 10 === 2 && n !== 12
        ? "nd"
        : n % 10 === 3 && n !== 13
          ? "rd"
          : "th";
  return `${n}${suffix}`;
}

function fault(message: string): { faults: FaultDetail[] } {
  return { faults: [{ path: "/certificate", message }] };
}
