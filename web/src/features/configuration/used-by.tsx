import type { Usage } from "@contract/configuration.ts";
import { Anchor, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { queryClient } from "../../services/query-client.ts";
import { short } from "./delete-button.tsx";

type ReadUsage = (call: { params: { id: string }; signal: AbortSignal }) => Promise<{ data: Usage }>;

/** The jobs that refer to a record. */
export function usageQuery(noun: string, id: string, read: ReadUsage) {
  return queryOptions({
    queryKey: [noun, "usage", id],
    queryFn: async ({ signal }): Promise<Usage> => (await read({ params: { id }, signal })).data,
  });
}

interface UsedByProps {
  query: ReturnType<typeof usageQuery>;
  /** How a job comes to use it, for when none does. */
  hint: string;
}

/** The jobs whose steps refer to a record, with the steps. */
export function UsedBy({ query, hint }: UsedByProps) {
  const { data, error, refetch } = useQuery(query);
  if (error && !data) return <Fault error={error} onRetry={() => void refetch()} />;
  const unseen = data ? data.totalJobs - data.jobs.length : 0;
  return (
    <Section title="Used by">
      <Paper p="md">
        {!data ? (
          <Skeleton height={20} width="60%" />
        ) : data.totalJobs === 0 ? (
          <Text size="sm" c="dimmed">
            No job yet. {hint}
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

/** Whether it was told who uses it: only then a deletion need not be refused for them. */
export function isTold(query: ReturnType<typeof usageQuery>): boolean {
  return queryClient.getQueryData(query.queryKey) !== undefined;
}

/** What a deletion means to the jobs that refer to the record; they are named before it is done. */
export function DeleteSays({
  query,
  mayRead = true,
  gone,
}: {
  query: ReturnType<typeof usageQuery>;
  mayRead?: boolean;
  /** What is lost besides. */
  gone: string;
}) {
  const { data } = useQuery({ ...query, enabled: mayRead });
  const jobs = data?.totalJobs ?? 0;
  if (!mayRead) return `${gone} It is refused while a job refers to it.`;
  if (!data) return gone;
  if (jobs === 0) return `${gone} No job refers to it.`;
  return `${jobs === 1 ? "1 job refers" : `${jobs} jobs refer`} to it${named(data)}: their steps fail from then on, until they get another. ${gone}`;
}

const mostNamed = 5;

/** The first of the jobs, as far as the reader may see them. */
function named({ jobs, totalJobs }: Usage): string {
  if (jobs.length === 0) return "";
  const names = jobs.slice(0, mostNamed).map(({ name }) => `“${short(name)}”`);
  const more = totalJobs - names.length;
  return ` (${names.join(", ")}${more > 0 ? ` and ${more} more` : ""})`;
}
