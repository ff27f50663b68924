import { sql } from "kysely";
import type pg from "pg";
import type { CertificateDetails } from "../../contract/certificate.ts";
import type { FieldMap } from "../../db/filter.ts";
import { type NamedKey, type NamedRow, namedFields, namedStore } from "../named-store.ts";
import type { SecretTable } from "../sealed-store.ts";

export interface CertificateRow extends NamedRow {
  /** PEM. */
  chain: string;
  /** Of each certificate of the chain. */
  details: CertificateDetails[];
  /** The private key, as it is kept; null: there is none. */
  sealed: string | null;
}

/** What `POST /certificate/search` may filter and sort by. */
export const certificateFields: FieldMap = {
  ...namedFields,
  subject: { kind: "string", column: sql`subject` },
  issuer: { kind: "string", column: sql`issuer` },
  serialNumber: { kind: "string", column: sql`serial_number` },
  subjectAltNames: { kind: "strings", column: sql`subject_alt_names` },
  fingerprint: { kind: "string", column: sql`fingerprint` },
  notBefore: { kind: "date", column: sql`not_before` },
  expiresAt: { kind: "date", column: sql`expires_at` },
  hasPrivateKey: {
    kind: "boolean",
    column: sql`exists (select from certificate_secret where certificate_id = certificate.id)`,
  },
};
export const certificateTexts = [
  certificateFields.name!,
  certificateFields.description!,
  certificateFields.subject!,
];

/** The field that a private key is sealed for. */
export const sealedField = "privateKey";

export const certificateSecrets: SecretTable = {
  table: "certificate_secret",
  record: "certificate_id",
  field: { always: sealedField },
};

export type CertificateStore = ReturnType<typeof certificateStore>;

const sealed = "(select sealed from certificate_secret where certificate_id = certificate.id) as sealed";

export function certificateStore(pool: pg.Pool) {
  const named = namedStore<CertificateRow>(pool, "certificate", `chain, details, ${sealed}`);

  return {
    ...named,

    /** The certificate, unchanged by others until the transaction ends. */
    async lock(client: pg.PoolClient, key: NamedKey) {
      // The key is read by a statement of its own: one that waited for the row would see it as it was before.
      const locked = await named.lock(client, key);
      return locked && (await named.lock(client, { id: locked.id }));
    },

    /** False: there is one of this name by now. */
    async insert(client: pg.PoolClient, row: CertificateRow): Promise<boolean> {
      const { rowCount } = await client.query(
        `insert into certificate (id, name, description, chain, details, subject, issuer, serial_number, subject_alt_names,
           fingerprint, not_before, expires_at, version, created_at, created_by, updated_at, updated_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $14, $15) on conflict (name) do nothing`,
        values(row),
      );
      if (rowCount === 0) return false;
      await writeSecret(client, row);
      return true;
    },

    async update(client: pg.PoolClient, row: CertificateRow): Promise<void> {
      await client.query(
        `update certificate set name = $2, description = $3, chain = $4, details = $5, subject = $6, issuer = $7,
           serial_number = $8, subject_alt_names = $9, fingerprint = $10, not_before = $11, expires_at = $12,
           version = $13, updated_at = $14, updated_by = $15 where id = $1`,
        values(row),
      );
      await writeSecret(client, row);
    },
  };
}

function values({ id, name, description, chain, details, version, updatedAt, updatedBy }: CertificateRow) {
  const { subject, issuer, serialNumber, subjectAltNames, fingerprint, notBefore, expiresAt } = details[0]!;
  return [
    ...[id, name, description, chain, JSON.stringify(details), subject, issuer, serialNumber],
    ...[subjectAltNames, fingerprint, notBefore, expiresAt, version, updatedAt, updatedBy],
  ];
}

/** A key that stays is left alone: rotation may just have sealed it anew. */
async function writeSecret(client: pg.PoolClient, { id, sealed }: CertificateRow): Promise<void> {
  if (sealed === null) {
    await client.query("delete from certificate_secret where certificate_id = $1", [id]);
    return;
  }
  await client.query(
    `insert into certificate_secret (certificate_id, sealed) values ($1, $2)
     on conflict (certificate_id) do update set sealed = excluded.sealed where certificate_secret.sealed <> excluded.sealed`,
    [id, sealed],
  );
}
