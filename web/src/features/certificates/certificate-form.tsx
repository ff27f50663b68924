import type { Certificate, CertificateInput } from "@contract/certificate.ts";
import { PasswordInput, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { DescriptionField } from "../../components/description-field.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { api } from "../../services/api.ts";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { refuseTaken } from "../configuration/refuse-taken.ts";
import { keepSecret, type SecretChange, SecretInput } from "../configuration/secret-input.tsx";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";
import { PemInput } from "./pem-input.tsx";

interface Draft {
  name: string;
  description: string;
  certificate: string;
  key: SecretChange;
  passphrase: string;
}

const draftOf = (certificate?: Certificate): Draft => ({
  name: certificate?.name ?? "",
  description: certificate?.description ?? "",
  certificate: certificate?.certificate ?? "",
  key: keepSecret,
  passphrase: "",
});

const shown = ["/name", "/description", "/certificate", "/privateKey", "/passphrase"];

/** A certificate and its private key, which is sealed and never shown. */
export function CertificateForm({
  certificate,
  onSaved,
  readOnly = false,
}: {
  certificate?: Certificate;
  onSaved?: (certificate: Certificate) => unknown;
  readOnly?: boolean;
}) {
  const [draft, setDraft] = useState(() => draftOf(certificate));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useSave(certificate, (saved, sent) => {
    // What was typed meanwhile stays.
    setDraft((now) => (now === sent ? draftOf(saved) : now));
    return onSaved?.(saved);
  });
  const dirty = JSON.stringify(draft) !== JSON.stringify(draftOf(certificate));
  const keyText = draft.key.kind === "enter" ? draft.key.text : "";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft);
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Stack gap="md">
        <FormFault error={save.error} shown={(path) => shown.includes(path)} />
        <TextInput
          label="Name"
          required
          maxLength={200}
          dir="auto"
          autoFocus={!certificate}
          disabled={readOnly}
          value={draft.name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          error={faultAt(save.error, "/name")}
        />
        <DescriptionField
          disabled={readOnly}
          value={draft.description}
          onChange={(description) => set({ description })}
          error={faultAt(save.error, "/description")}
        />
        <PemInput
          label="Certificate"
          help="PEM. With a private key: the certificate, then each issuer in order. Without: the certificates to trust."
          required
          disabled={readOnly}
          value={draft.certificate}
          onChange={(text) => set({ certificate: text })}
          error={faultAt(save.error, "/certificate")}
        />
        {certificate?.hasPrivateKey ? (
          <SecretInput
            label="Private key"
            help="PEM, of the first certificate."
            multiline
            isSet
            change={draft.key}
            onChange={(key) => set({ key })}
            error={faultAt(save.error, "/privateKey")}
            disabled={readOnly}
          />
        ) : (
          !readOnly && (
            <PemInput
              label="Private key"
              help="PEM, of the first certificate; for mutual TLS. It is sealed and never shown."
              rows={4}
              value={keyText}
              onChange={(text) => set({ key: text === "" ? keepSecret : { kind: "enter", text } })}
              error={faultAt(save.error, "/privateKey")}
            />
          )
        )}
        {keyText.includes("ENCRYPTED") && (
          <PasswordInput
            label="Passphrase of the private key"
            description="Used now and not kept."
            autoComplete="off"
            value={draft.passphrase}
            onChange={({ currentTarget }) => set({ passphrase: currentTarget.value })}
            error={faultAt(save.error, "/passphrase")}
          />
        )}
        {!readOnly && (
          <SaveButtons
            make="Make the certificate"
            isNew={!certificate}
            dirty={dirty}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(certificate));
              save.reset();
            }}
          />
        )}
      </Stack>
    </form>
  );
}

function bodyOf(draft: Draft, certificate: Certificate | undefined): CertificateInput {
  const { key } = draft;
  return {
    ...(certificate ? { id: certificate.id } : {}),
    name: draft.name,
    description: draft.description,
    certificate: draft.certificate,
    ...(key.kind === "enter" ? { privateKey: key.text } : key.kind === "remove" ? { privateKey: null } : {}),
    ...(draft.passphrase !== "" ? { passphrase: draft.passphrase } : {}),
  };
}

function useSave(
  certificate: Certificate | undefined,
  onSaved: (saved: Certificate, sent: Draft) => unknown,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (draft: Draft) => {
      if (!certificate) await refuseTaken("certificate", draft.name, api.searchCertificates);
      const query = certificate ? { expectedVersion: certificate.version } : {};
      return api.upsertCertificate({ query, body: bodyOf(draft, certificate) });
    },
    onSuccess: async ({ data, message }, sent) => {
      queryClient.setQueryData(["certificates", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["certificates", "list"] });
      notifications.show({ message });
      await onSaved(data, sent);
    },
  });
}
