import type {
  Certificate,
  CertificateDetails,
  CertificateItem,
  DecryptedCertificate,
} from "../../contract/certificate.ts";
import type { CertificateRow } from "./store.ts";

export function presentCertificateItem(row: CertificateRow): CertificateItem {
  const { id, name, description, version, createdBy, updatedBy } = row;
  return {
    id,
    name,
    description,
    ...presentDetails(row.details[0]!),
    hasPrivateKey: row.sealed !== null,
    version,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}

export function presentCertificate(row: CertificateRow): Certificate {
  return {
    ...presentCertificateItem(row),
    certificate: row.chain,
    chain: row.details.map(presentDetails),
  };
}

export function presentDecrypted(
  { id, name, chain }: CertificateRow,
  privateKey: string | null,
): DecryptedCertificate {
  return { id, name, certificate: chain, privateKey };
}

function presentDetails(details: CertificateDetails): CertificateDetails {
  const { subject, issuer, serialNumber, subjectAltNames, notBefore } = details;
  const { expiresAt, fingerprint, keyType, isAuthority } = details;
  return {
    subject,
    issuer,
    serialNumber,
    subjectAltNames,
    notBefore,
    expiresAt,
    fingerprint,
    keyType,
    isAuthority,
  };
}
