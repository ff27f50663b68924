import Type from "typebox";
import {
  Certificate,
  CertificateInput,
  CertificateItem,
  CertificateName,
  DecryptedCertificate,
} from "./certificate.ts";
import { BulkDeleted, BulkDeleteRequest, NamedOption, Usage } from "./configuration.ts";
import { Forced } from "./forced.ts";
import type { Route } from "./routes.ts";
import { FilterRequest, searchFields } from "./search.ts";
import { Id, Meta } from "./shapes.ts";

const byId = Type.Object({ id: Id });

/** Certificates: what a step shows of itself to another server, and what it trusts. */
export const certificateRoutes = {
  upsertCertificate: {
    method: "POST",
    path: "/certificate/upsert",
    access: "ConfigService:Certificate:upsert",
    tag: "Certificates",
    audits: "certificate",
    summary: "Create a certificate, or change the one of this name",
    description:
      "201 when it is created. The private key stays when it is left out and fits the certificate; where it does not, it must be entered again (SECRET_REENTRY_REQUIRED). PKCS #12 files are not read: convert them with openssl.",
    query: Type.Object({
      expectedVersion: Type.Optional(
        Type.Integer({ minimum: 1, description: "Refuse (409) unless this is the current version." }),
      ),
    }),
    body: CertificateInput,
    data: Certificate,
    alsoAnswers: { 201: "Created" },
    errors: ["NOT_FOUND", "CONFLICT", "DECRYPT_FAILED", "SECRET_REENTRY_REQUIRED"],
  },
  listCertificateOptions: {
    method: "GET",
    path: "/certificate/options",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "List certificates as choices, by name",
    data: Type.Array(NamedOption),
    bare: true,
    errors: [],
  },
  searchCertificates: {
    method: "POST",
    path: "/certificate/search",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "Find certificates",
    description: `Those that expire soon: a filter on expiresAt with lt. Fields to filter and sort by: ${searchFields.searchCertificates.join(", ")}.`,
    body: FilterRequest,
    data: Type.Array(CertificateItem),
    meta: Meta,
    errors: [],
  },
  deleteCertificates: {
    method: "POST",
    path: "/certificate/bulk-delete",
    access: "ConfigService:Certificate:delete",
    tag: "Certificates",
    audits: "certificate",
    summary: "Delete certificates, all or none",
    description: "409 when jobs refer to one of them, unless forced.",
    query: Forced,
    body: BulkDeleteRequest,
    data: BulkDeleted,
    errors: ["INVALID_STATE"],
  },
  getDecryptedCertificate: {
    method: "GET",
    path: "/certificate/decrypted/:certificateId",
    access: "ConfigService:Certificate:decrypt",
    tag: "Certificates",
    audits: "certificate",
    limit: "decrypts",
    summary: "Read a certificate with its private key",
    description:
      "For the services that run steps. Recorded in the audit trail before it is answered; 503 when it can't be recorded.",
    params: Type.Object({ certificateId: Id }),
    data: DecryptedCertificate,
    errors: ["NOT_FOUND", "DECRYPT_FAILED"],
  },
  getCertificateByName: {
    method: "GET",
    path: "/certificate/name/:certificateName",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "Read a certificate by its name",
    params: Type.Object({ certificateName: CertificateName }),
    data: Certificate,
    errors: ["NOT_FOUND"],
  },
  deleteCertificate: {
    method: "DELETE",
    path: "/certificate/delete/:id",
    access: "ConfigService:Certificate:delete",
    tag: "Certificates",
    audits: "certificate",
    summary: "Delete a certificate",
    description: "409 when jobs refer to it, unless forced.",
    params: byId,
    query: Forced,
    data: Type.Null(),
    errors: ["NOT_FOUND", "INVALID_STATE"],
  },
  getCertificate: {
    method: "GET",
    path: "/certificate/:id",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "Read a certificate, without its private key",
    params: byId,
    data: Certificate,
    errors: ["NOT_FOUND"],
  },
  getCertificateUsage: {
    method: "GET",
    path: "/certificate/:id/usage",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "List the jobs that refer to a certificate",
    description: "By its id or its name, written out in the input of a step.",
    params: byId,
    data: Usage,
    errors: ["NOT_FOUND"],
  },
  certificateExists: {
    method: "GET",
    path: "/certificate/:name/exists",
    access: "ConfigService:Certificate:read",
    tag: "Certificates",
    summary: "Tell whether there is a certificate of this name",
    params: Type.Object({ name: CertificateName }),
    query: Type.Object({
      id: Type.Optional(Type.String({ format: "uuid", description: "Leaves this certificate out." })),
    }),
    data: Type.Boolean(),
    errors: [],
  },
} as const satisfies Record<string, Route>;
