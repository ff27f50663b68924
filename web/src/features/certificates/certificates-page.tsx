import type { CertificateItem } from "@contract/certificate.ts";
import { Button } from "@mantine/core";
import { IconCertificate, IconPlus } from "@tabler/icons-react";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Page } from "../../components/page.tsx";
import { type Column, rowLink } from "../../components/table/data-table.tsx";
import type { FilterField } from "../../components/table/fields.ts";
import { useCan } from "../../services/session.tsx";
import { RecordTable } from "../configuration/record-table.tsx";
import { commonName, Expiry } from "./expiry.tsx";
import { certificateSource } from "./queries.ts";

const route = getRouteApi("/frame/certificates");

const fields: FilterField[] = [
  { name: "name", label: "Name", kind: "text" },
  { name: "subject", label: "Subject", kind: "text" },
  { name: "issuer", label: "Issuer", kind: "text" },
  { name: "subjectAltNames", label: "Host", kind: "tags" },
  { name: "expiresAt", label: "Expires", kind: "time" },
  { name: "fingerprint", label: "Fingerprint", kind: "text" },
  { name: "updatedAt", label: "Changed", kind: "time" },
];

const columns: Column<CertificateItem>[] = [
  {
    id: "name",
    header: "Name",
    sort: "name",
    phone: "title",
    cell: ({ id, name }) => (
      <Link className={rowLink} to="/certificates/$certificateId" params={{ certificateId: id }} dir="auto">
        {name}
      </Link>
    ),
  },
  {
    id: "subject",
    header: "Subject",
    sort: "subject",
    phone: "meta",
    cell: ({ subject }) => <span title={subject}>{commonName(subject)}</span>,
  },
  {
    id: "issuer",
    header: "Issuer",
    width: "18%",
    sort: "issuer",
    cell: ({ issuer }) => <span title={issuer}>{commonName(issuer)}</span>,
  },
  {
    id: "key",
    header: "Private key",
    width: "110px",
    cell: ({ hasPrivateKey }) => (hasPrivateKey ? "set" : "–"),
  },
  {
    id: "expires",
    header: "Expires",
    width: "200px",
    sort: "expiresAt",
    phone: "aside",
    cell: (row) => <Expiry certificate={row} />,
  },
];

/** What steps show of themselves to other servers, and whom they trust; what expires first comes first. */
export function CertificatesPage() {
  const state = route.useSearch();
  const navigate = route.useNavigate();
  const may = useCan()("ConfigService:Certificate:upsert");
  const add = may && (
    <Button
      leftSection={<IconPlus size={16} />}
      renderRoot={(props) => <Link to="/certificates/new" {...props} />}
    >
      New certificate
    </Button>
  );
  return (
    <Page
      title="Certificates"
      about="What steps show of themselves to other servers, and whom they trust."
      actions={add}
    >
      <RecordTable
        label="Certificates"
        search="Search certificates by name or description"
        icon={IconCertificate}
        state={state}
        onChange={(next) => void navigate({ search: next, replace: true })}
        fields={fields}
        columns={columns}
        source={certificateSource}
        sort="expiresAt"
        rowKey={({ id }) => id}
        none={{
          title: "No certificates yet",
          says: may
            ? "Bring one in as PEM, with its private key for mutual TLS or without to trust a private authority."
            : "As soon as somebody makes one, it shows up here.",
          action: add,
        }}
      />
    </Page>
  );
}
