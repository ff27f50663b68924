import type { Certificate, CertificateDetails } from "@contract/certificate.ts";
import { Grid, Paper, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useNow } from "../../components/clock.ts";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { changesOf, type Fact, Facts } from "../configuration/facts.tsx";
import { Notice } from "../configuration/notice.tsx";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { CertificateForm } from "./certificate-form.tsx";
import { commonName, Expiry, validityOf } from "./expiry.tsx";
import { certificateQuery } from "./queries.ts";

const route = getRouteApi("/frame/certificates/$certificateId");

export function NewCertificatePage() {
  const navigate = useNavigate();
  return (
    <Page
      title="New certificate"
      above={<Above to="/certificates">Certificates</Above>}
      about="PKCS #12 files (.p12, .pfx) are not read: convert them with openssl pkcs12 -in file.p12 -nodes."
    >
      <Paper p="lg" maw={760}>
        <CertificateForm
          onSaved={({ id }) =>
            navigate({ to: "/certificates/$certificateId", params: { certificateId: id } })
          }
        />
      </Paper>
    </Page>
  );
}

export function CertificatePage() {
  const { certificateId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: certificate, error, refetch } = useQuery(certificateQuery(certificateId));
  useVisited(certificate && { kind: "certificate", id: certificate.id, name: certificate.name });
  if (error && !certificate) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!certificate) return <PageSkeleton />;
  const usage = usageQuery("certificates", certificate.id, api.getCertificateUsage);
  return (
    <Page
      title={certificate.name}
      above={<Above to="/certificates">Certificates</Above>}
      badge={<Expiry certificate={certificate} />}
      about={certificate.description}
      actions={
        can("ConfigService:Certificate:delete") && (
          <DeleteButton
            noun="certificate"
            name={certificate.name}
            queryNoun="certificates"
            says={
              <DeleteSays query={usage} gone="A private key that is kept nowhere else is gone for good." />
            }
            run={() =>
              api.deleteCertificate({ params: { id: certificate.id }, query: { force: isTold(usage) } })
            }
            leave={() => navigate({ to: "/certificates" })}
          />
        )
      }
    >
      <ExpiryNotice certificate={certificate} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Settings">
            <Paper p="lg">
              <CertificateForm
                key={certificate.id}
                certificate={certificate}
                readOnly={!can("ConfigService:Certificate:upsert")}
              />
            </Paper>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <UsedBy query={usage} hint="An http step names it as its certificate, or to trust." />
            {certificate.chain.map((details, i) => (
              <Section
                key={details.fingerprint}
                title={
                  certificate.chain.length === 1
                    ? "What it says"
                    : `${i + 1}. ${commonName(details.subject).slice(0, 60)}`
                }
              >
                <Facts facts={factsOf(details)} />
              </Section>
            ))}
            <Section title="About">
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={certificate.id} />],
                  ["Private key", certificate.hasPrivateKey ? "Set; it is never shown" : "None"],
                  ["Version", certificate.version],
                  ...changesOf(certificate),
                ]}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function ExpiryNotice({ certificate }: { certificate: Certificate }) {
  const validity = validityOf(certificate, useNow(false));
  if (validity === "valid") return null;
  const expired = validity === "expired";
  return (
    <Notice tone={expired ? "red" : "amber"} icon={IconAlertTriangle} role="status">
      {validity === "early"
        ? "It is not valid yet: servers refuse it until then."
        : expired
          ? "It has expired: servers refuse it. Put the new one in its place below; steps that use it need no change."
          : "It expires soon. Put the new one in its place below before that; steps that use it need no change."}
    </Notice>
  );
}

function factsOf(details: CertificateDetails): Fact[] {
  return [
    ["Subject", details.subject],
    ["Issuer", details.issuer === details.subject ? "Itself" : details.issuer],
    ...(details.subjectAltNames.length > 0 ? [["For", details.subjectAltNames.join("\n")] as Fact] : []),
    ["Valid from", <TimeText key="from" at={details.notBefore} />],
    ["Expires", <TimeText key="to" at={details.expiresAt} />],
    ["Key", details.keyType],
    ["Authority", details.isAuthority ? "Yes: it may sign others" : "No"],
    ["Serial no.", <CopyText key="serial" text={details.serialNumber} />],
    ["SHA-256", <CopyText key="hash" text={details.fingerprint} />],
  ];
}
