import { Anchor, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { connectionUsageQuery } from "./queries.ts";

/** The jobs whose steps refer to a connection. */
export function ConnectionUsage({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(connectionUsageQuery(id));
  if (error && !data) return <Fault error={error} onRetry={() => void refetch()} />;
  const unseen = data ? data.totalJobs - data.jobs.length : 0;
  return (
    <Section title="Used by">
      <Paper p="md">
        {!data ? (
          <Skeleton height={20} width="60%" />
        ) : data.totalJobs === 0 ? (
          <Text size="sm" c="dimmed">
            No job yet. Name it in a step by its id, or by its name and type.
          </Text>
        ) : (
          <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
            {data.jobs.map((job) => (
              <li key={job.id}>
                <Anchor
                  component={Link}
                  to="/jobs/$jobId"
                  params={{ jobId: job.id } as never}
                  size="sm"
                  dir="auto"
                  style={{ overflowWrap: "anywhere" }}
                >
                  {job.name}
                </Anchor>
                <Text span size="xs" c="dimmed" className="mono">
                  {" "}
                  {job.steps.join(", ")}
                </Text>
              </li>
            ))}
            {unseen > 0 && (
              <Text component="li" size="sm" c="dimmed">
                {data.jobs.length > 0 ? "and " : ""}
                {unseen === 1 ? "1 job" : `${unseen} jobs`} that you may not see
              </Text>
            )}
          </Stack>
        )}
      </Paper>
    </Section>
  );
}
