import { Badge, Grid, Paper, Stack } from "@mantine/core";
import { IconLock } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { changesOf, Facts } from "../configuration/facts.tsx";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { variableQuery } from "./queries.ts";
import { VariableForm } from "./variable-form.tsx";

const route = getRouteApi("/frame/variables/$variableId");

export function NewVariablePage() {
  const navigate = useNavigate();
  return (
    <Page title="New variable" above={<Above to="/variables">Global variables</Above>}>
      <Paper p="lg" maw={760}>
        <VariableForm
          onSaved={({ id }) => navigate({ to: "/variables/$variableId", params: { variableId: id } })}
        />
      </Paper>
    </Page>
  );
}

export function VariablePage() {
  const { variableId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: variable, error, refetch } = useQuery(variableQuery(variableId));
  useVisited(variable && { kind: "variable", id: variable.id, name: variable.name });
  if (error && !variable) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!variable) return <PageSkeleton />;
  const usage = usageQuery("variables", variable.id, api.getVariableUsage);
  return (
    <Page
      title={variable.name}
      above={<Above to="/variables">Global variables</Above>}
      badge={variable.secret && <Badge leftSection={<IconLock size={12} />}>secret</Badge>}
      about={variable.description}
      actions={
        can("ConfigService:GlobalVariable:delete") && (
          <DeleteButton
            noun="variable"
            name={variable.name}
            queryNoun="variables"
            says={<DeleteSays query={usage} gone="Its value is gone for good." />}
            run={() => api.deleteVariable({ params: { id: variable.id }, query: { force: isTold(usage) } })}
            leave={() => navigate({ to: "/variables" })}
          />
        )
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Settings">
            <Paper p="lg">
              <VariableForm
                key={variable.id}
                variable={variable}
                readOnly={!can("ConfigService:GlobalVariable:upsert")}
              />
            </Paper>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <UsedBy query={usage} hint="A step names it in an expression." />
            <Section title="About">
              <Facts
                facts={[
                  ["In a step", <CopyText key="use" text={`{{ vars.${variable.name} }}`} />],
                  ["Version", variable.version],
                  ...changesOf(variable),
                ]}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}
