import type { PrincipalInput, PrincipalRecord } from "@contract/identity.ts";
import { Badge, Box, Grid, Group, NativeSelect, Paper, Stack, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { SaveButtons } from "../../components/save-buttons.tsx";
import { TimeText } from "../../components/time-text.tsx";
import { api } from "../../services/api.ts";
import { useCan, useMe } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { Facts } from "../configuration/facts.tsx";
import { FormFault, faultAt } from "../configuration/form-faults.tsx";
import { LeaveGuard } from "../jobs/editor/leave-guard.tsx";
import { AuthorityMatrix } from "./authority-matrix.tsx";
import { JobLimitsFields } from "./job-limits.tsx";
import { kindWords } from "./principals-page.tsx";
import { principalQuery } from "./queries.ts";

const route = getRouteApi("/frame/admin/principals/$principalId");

export function NewPrincipalPage() {
  const navigate = useNavigate();
  return (
    <Page
      title="New principal"
      above={<Above to="/admin/principals">Principals</Above>}
      about="Somebody, or a program, that comes in by a token of its own. Nobody grants what they don't hold."
    >
      <PrincipalForm
        onSaved={({ id }) => navigate({ to: "/admin/principals/$principalId", params: { principalId: id } })}
      />
    </Page>
  );
}

export function PrincipalPage() {
  const { principalId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const me = useMe();
  const { data: principal, error, refetch } = useQuery(principalQuery(principalId));
  if (error && !principal) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!principal) return <PageSkeleton />;
  return (
    <Page
      title={principal.name}
      above={<Above to="/admin/principals">Principals</Above>}
      badge={
        <Group gap={6}>
          <Badge>{kindWords[principal.kind]}</Badge>
          {principal.id === me.id && <Badge variant="light">you</Badge>}
        </Group>
      }
      actions={
        can("IdentityService:Principal:delete") && (
          <DeleteButton
            noun="principal"
            name={principal.name}
            queryNoun="principals"
            says="Its tokens are revoked with it: whatever uses them is refused from now on. What it did stays in the history."
            run={() => api.deletePrincipal({ params: { id: principal.id } })}
            leave={() => navigate({ to: "/admin/principals" })}
          />
        )
      }
    >
      <PrincipalForm
        key={principal.id}
        principal={principal}
        readOnly={!can("IdentityService:Principal:upsert")}
      />
    </Page>
  );
}

type Draft = Required<PrincipalInput>;

function draftOf(principal?: PrincipalRecord): Draft {
  const {
    name = "",
    kind = "user",
    authorities = ["JobService:*:read"],
    jobs = null,
    externalId = null,
  } = principal ?? {};
  return { name, kind, authorities, jobs, externalId };
}

interface PrincipalFormProps {
  principal?: PrincipalRecord;
  onSaved?: (principal: PrincipalRecord) => unknown;
  readOnly?: boolean;
}

function PrincipalForm({ principal, onSaved, readOnly = false }: PrincipalFormProps) {
  const me = useMe();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState(() => draftOf(principal));
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change });
  const save = useMutation({
    mutationFn: () =>
      principal
        ? api.replacePrincipal({ params: { id: principal.id }, body: draft })
        : api.createPrincipal({ body: draft }),
    onSuccess: async ({ data, message }) => {
      queryClient.setQueryData(["principals", "one", data.id], data);
      void queryClient.invalidateQueries({ queryKey: ["principals", "list"] });
      if (data.id === me.id) void queryClient.invalidateQueries({ queryKey: ["me"] });
      setDraft(draftOf(data));
      notifications.show({ message });
      await onSaved?.(data);
    },
  });
  const dirty = JSON.stringify(draft) !== JSON.stringify(draftOf(principal));
  const grantFault = faultsUnder(save.error, "/authorities");
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <LeaveGuard isDirty={() => dirty && !save.isPending} />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="May do">
            <Paper p="lg">
              <AuthorityMatrix
                value={draft.authorities}
                onChange={(authorities) => set({ authorities })}
                held={me.authorities}
                disabled={readOnly}
                error={grantFault}
              />
            </Paper>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }} order={{ base: -1, md: 2 }}>
          <Stack gap="lg">
            <Section title="Who">
              <Paper p="lg">
                <Stack gap="md">
                  <FormFault
                    error={save.error}
                    shown={(path) =>
                      ["/name", "/kind", "/externalId", "/jobs"].includes(path) ||
                      path.startsWith("/authorities")
                    }
                  />
                  <TextInput
                    label="Name"
                    required
                    maxLength={100}
                    dir="auto"
                    autoFocus={!principal}
                    disabled={readOnly}
                    value={draft.name}
                    onChange={({ currentTarget }) => set({ name: currentTarget.value })}
                    error={faultAt(save.error, "/name")}
                  />
                  <NativeSelect
                    label="Kind"
                    disabled={readOnly}
                    data={[
                      { value: "user", label: "A person" },
                      { value: "service", label: "A program" },
                    ]}
                    value={draft.kind}
                    onChange={({ currentTarget }) => set({ kind: currentTarget.value as Draft["kind"] })}
                  />
                  <TextInput
                    label="At the identity provider"
                    description="What it calls them; needed only where one is configured."
                    maxLength={255}
                    disabled={readOnly}
                    value={draft.externalId ?? ""}
                    onChange={({ currentTarget }) => set({ externalId: currentTarget.value || null })}
                    error={faultAt(save.error, "/externalId")}
                  />
                </Stack>
              </Paper>
            </Section>
            <Section title="On which jobs">
              <Paper p="lg">
                <JobLimitsFields
                  value={draft.jobs}
                  onChange={(jobs) => set({ jobs })}
                  disabled={readOnly}
                  error={faultAt(save.error, "/jobs")}
                />
              </Paper>
            </Section>
            {principal && (
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={principal.id} />],
                  ["Created", <TimeText key="at" at={principal.createdAt} />],
                ]}
              />
            )}
          </Stack>
        </Grid.Col>
      </Grid>
      {!readOnly && (
        <Box mt="lg">
          <SaveButtons
            make="Make the principal"
            isNew={!principal}
            dirty={dirty}
            saving={save.isPending}
            onUndo={() => {
              setDraft(draftOf(principal));
              save.reset();
            }}
          />
        </Box>
      )}
    </form>
  );
}

/** The first of the faults at this place or below. */
function faultsUnder(error: unknown, path: string): string | undefined {
  for (let i = -1; i < 100; i++) {
    const fault = faultAt(error, i < 0 ? path : `${path}/${i}`);
    if (fault) return fault;
  }
  return undefined;
}
