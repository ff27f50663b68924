import type { ConnectionTypeInfo } from "@contract/connection.ts";
import { Anchor, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Page } from "../../components/page.tsx";
import { categoryWord } from "./category-word.ts";
import { ConnectionForm } from "./connection-form.tsx";
import classes from "./new-connection.module.css";
import { connectionTypesQuery } from "./queries.ts";
import { TypeIcon } from "./type-icon.tsx";

const route = getRouteApi("/frame/connections/new");

/** First the type, then the form that its template asks for. */
export function NewConnectionPage() {
  const { type } = route.useSearch();
  const navigate = route.useNavigate();
  const { data: types, error, refetch } = useQuery(connectionTypesQuery);
  const chosen = types?.find(({ connectionType }) => connectionType === type);
  return (
    <Page
      title={chosen ? `New connection: ${chosen.label}` : "New connection"}
      above={
        <Anchor component={Link} to="/connections" size="sm">
          Connections
        </Anchor>
      }
      about={
        chosen ? (
          <>
            {chosen.description} Not what you need?{" "}
            <Anchor component={Link} to="/connections/new" inherit underline="always">
              Choose another type
            </Anchor>
            .
          </>
        ) : (
          "What should steps be able to reach?"
        )
      }
    >
      {error && <Fault error={error} onRetry={() => void refetch()} />}
      {!types && !error && <Skeleton height={360} radius="lg" />}
      {types && !chosen && <TypeChoice types={types} />}
      {chosen && (
        <Paper p="lg" maw={760}>
          <ConnectionForm
            key={chosen.connectionType}
            type={chosen}
            onSaved={({ id }) => navigate({ to: "/connections/$connectionId", params: { connectionId: id } })}
          />
        </Paper>
      )}
    </Page>
  );
}

function TypeChoice({ types }: { types: ConnectionTypeInfo[] }) {
  const categories = [...new Set(types.map(({ category }) => category))];
  return (
    <Stack gap="xl">
      {categories.map((category) => (
        <section key={category}>
          <Title order={2} mb="sm">
            {categoryWord(category)}
          </Title>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
            {types
              .filter((type) => type.category === category)
              .map(({ connectionType, label, description }) => (
                <Link
                  key={connectionType}
                  to="/connections/new"
                  search={{ type: connectionType }}
                  className={classes.type}
                >
                  <span className={classes.icon}>
                    <TypeIcon type={connectionType} size={22} />
                  </span>
                  <span>
                    <Text span fw={600} size="sm" display="block">
                      {label}
                    </Text>
                    <Text span size="xs" c="dimmed" lh={1.4} display="block">
                      {description}
                    </Text>
                  </span>
                </Link>
              ))}
          </SimpleGrid>
        </section>
      ))}
    </Stack>
  );
}
