import { Badge, Grid, Paper, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { CodeBlock } from "../../components/code-block.tsx";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { Above } from "../configuration/above.tsx";
import { CopyIcon, CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { changesOf, Facts } from "../configuration/facts.tsx";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { ParameterList } from "../jobs/parameter-list.tsx";
import { templateQuery } from "./queries.ts";
import { stepOf } from "./step-of.ts";
import { TemplateForm } from "./template-form.tsx";

const route = getRouteApi("/frame/api-templates/$templateId");

export function NewApiTemplatePage() {
  const navigate = useNavigate();
  return (
    <Page title="New API template" above={<Above to="/api-templates">API templates</Above>}>
      <Paper p="lg" maw={760}>
        <TemplateForm
          onSaved={({ id }) => navigate({ to: "/api-templates/$templateId", params: { templateId: id } })}
        />
      </Paper>
    </Page>
  );
}

export function ApiTemplatePage() {
  const { templateId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: template, error, refetch } = useQuery(templateQuery(templateId));
  useVisited(template && { kind: "apiTemplate", id: template.id, name: template.name });
  if (error && !template) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!template) return <PageSkeleton />;
  const usage = usageQuery("api-templates", template.id, api.getApiTemplateUsage);
  const step = stepOf(template);
  return (
    <Page
      title={template.name}
      above={<Above to="/api-templates">API templates</Above>}
      badge={<Badge className="mono">{template.method}</Badge>}
      about={template.description}
      actions={
        can("ConfigService:ApiTemplate:delete") && (
          <DeleteButton
            noun="template"
            name={template.name}
            queryNoun="api-templates"
            says={<DeleteSays query={usage} gone="It is gone for good." />}
            run={() =>
              api.deleteApiTemplate({ params: { id: template.id }, query: { force: isTold(usage) } })
            }
            leave={() => navigate({ to: "/api-templates" })}
          />
        )
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Request">
            <Paper p="lg">
              <TemplateForm
                key={template.id}
                template={template}
                readOnly={!can("ConfigService:ApiTemplate:upsert")}
              />
            </Paper>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            <Section title="In a job" actions={<CopyIcon text={step} label="Copy the step" />}>
              <CodeBlock text={step} label="A step made from this template" />
            </Section>
            <Section title="Asks for">
              <Paper p="md">
                <ParameterList schema={template.parameters} />
              </Paper>
            </Section>
            <UsedBy query={usage} hint="An http step names it as its apiTemplate." />
            <Section title="About">
              <Facts
                facts={[
                  ["Id", <CopyText key="id" text={template.id} />],
                  ["Category", template.category || "–"],
                  ["Version", template.version],
                  ...changesOf(template),
                ]}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}
