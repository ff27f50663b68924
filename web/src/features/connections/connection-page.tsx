import { Anchor, Badge, Grid, Paper, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Page, Section } from "../../components/page.tsx";
import { PageSkeleton } from "../../components/page-skeleton.tsx";
import { api } from "../../services/api.ts";
import { useVisited } from "../../services/recents.ts";
import { useCan } from "../../services/session.tsx";
import { CopyText } from "../configuration/copy-text.tsx";
import { DeleteButton } from "../configuration/delete-button.tsx";
import { changesOf, Facts } from "../configuration/facts.tsx";
import { DeleteSays, isTold, UsedBy, usageQuery } from "../configuration/used-by.tsx";
import { categoryWord } from "./category-word.ts";
import { ConnectionForm } from "./connection-form.tsx";
import { ConnectionTest } from "./connection-test.tsx";
import { connectionQuery, connectionTypesQuery } from "./queries.ts";
import { TypeIcon } from "./type-icon.tsx";

const route = getRouteApi("/frame/connections/$connectionId");

/** A connection: what it says, whether it works, and who needs it. */
export function ConnectionPage() {
  const { connectionId } = route.useParams();
  const navigate = route.useNavigate();
  const can = useCan();
  const { data: connection, error, refetch } = useQuery(connectionQuery(connectionId));
  useVisited(connection && { kind: "connection", id: connection.id, name: connection.name });
  const types = useQuery(connectionTypesQuery);
  const type = types.data?.find(({ connectionType }) => connectionType === connection?.connectionType);
  const fault = error ?? types.error;
  if (fault && !(connection && type)) return <Fault error={fault} onRetry={() => void refetch()} />;
  if (!connection || !type) return <PageSkeleton />;
  const mayWrite = can("ConfigService:Connection:upsert");
  const mayRead = can("ConfigService:Connection:read");
  const usage = usageQuery("connections", connection.id, api.getConnectionUsage);
  return (
    <Page
      title={connection.name}
      above={
        <Anchor component={Link} to="/connections" size="sm">
          Connections
        </Anchor>
      }
      badge={<Badge leftSection={<TypeIcon type={type.connectionType} size={13} />}>{type.label}</Badge>}
      about={connection.description}
      actions={
        can("ConfigService:Connection:delete") && (
          <DeleteButton
            noun="connection"
            name={connection.name}
            queryNoun="connections"
            says={<DeleteSays query={usage} mayRead={mayRead} gone="Its secrets are gone for good." />}
            run={() =>
              api.deleteConnection({ params: { id: connection.id }, query: { force: isTold(usage) } })
            }
            leave={() => navigate({ to: "/connections" })}
          />
        )
      }
    >
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Section title="Settings">
            <Paper p="lg">
              <ConnectionForm key={connection.id} type={type} connection={connection} readOnly={!mayWrite} />
            </Paper>
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Stack gap="lg">
            {mayWrite && <ConnectionTest connection={connection} />}
            {mayRead && <UsedBy query={usage} hint="Name it in a step by its id, or by its name and type." />}
            <Section title="About">
              <Facts
                facts={[
                  [
                    "In a step",
                    <CopyText key="id" text={`connectionId: ${connection.id}`} label="Copy the line" />,
                  ],
                  ["Category", categoryWord(connection.category)],
                  ["Version", connection.version],
                  ...changesOf(connection),
                ]}
              />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}
