import Type, { type Static } from "typebox";
import { Id, Nullable, Strict, Timestamp } from "./shapes.ts";

export const CertificateName = Type.String({ minLength: 1, maxLength: 200 });

/** The body of POST /certificate/upsert. */
export const CertificateInput = Strict({
  id: Type.Optional(
    Type.String({
      format: "uuid",
      description: "Changes this certificate, its name included. Left out, the name says which.",
    }),
  ),
  name: CertificateName,
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  certificate: Type.String({
    maxLength: 131_072,
    description:
      "PEM. With a private key: the certificate, then each issuer in order. Without: certificates to trust, in any order.",
  }),
  privateKey: Type.Optional(
    Nullable(
      Type.String({
        maxLength: 32_768,
        description:
          "PEM, of the first certificate. Left out, the one that is there stays if it fits; null removes it.",
      }),
    ),
  ),
  passphrase: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1024,
      description: "Of the private key, if it has one. Used now and not kept.",
    }),
  ),
});
export type CertificateInput = Static<typeof CertificateInput>;

/** What one certificate of a chain says of itself. */
export const CertificateDetails = Type.Object({
  subject: Type.String({ description: "CN=…, O=…" }),
  issuer: Type.String(),
  serialNumber: Type.String({ description: "In hex." }),
  subjectAltNames: Type.Array(Type.String(), { description: "DNS:…, IP Address:…, as in the certificate." }),
  notBefore: Timestamp,
  expiresAt: Timestamp,
  fingerprint: Type.String({ description: "SHA-256, in hex." }),
  keyType: Type.String({ description: "rsa 2048, ec prime256v1, ed25519, …" }),
  isAuthority: Type.Boolean({ description: "May sign others." }),
});
export type CertificateDetails = Static<typeof CertificateDetails>;

const known = {
  id: Id,
  name: Type.String(),
  description: Type.String(),
  ...CertificateDetails.properties,
  hasPrivateKey: Type.Boolean({ description: "The key itself is never answered." }),
};
const changes = {
  version: Type.Integer({ description: "Counts the changes, from 1." }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
};

export const CertificateItem = Type.Object({ ...known, ...changes });
export type CertificateItem = Static<typeof CertificateItem>;

export const Certificate = Type.Object({
  ...known,
  certificate: Type.String({ description: "PEM, as it is sent to the other side." }),
  chain: Type.Array(CertificateDetails, { description: "Of each certificate, in their order." }),
  ...changes,
});
export type Certificate = Static<typeof Certificate>;

/** What a step is given: the only answer with the key in it. */
export const DecryptedCertificate = Type.Object({
  id: Id,
  name: Type.String(),
  certificate: Type.String(),
  privateKey: Nullable(Type.String({ description: "PKCS #8 in PEM, without a passphrase." })),
});
export type DecryptedCertificate = Static<typeof DecryptedCertificate>;
