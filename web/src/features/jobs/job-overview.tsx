import type { Job } from "@contract/job.ts";
import { Grid, Paper, Stack, Table, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Section } from "../../components/page.tsx";
import { formatDuration } from "../../components/time-format.ts";
import { TimeText } from "../../components/time-text.tsx";
import { useLiveLists } from "../../services/events.ts";
import { useCan } from "../../services/session.tsx";
import { JobSummaryCard } from "./job-summary.tsx";
import { ParameterList } from "./parameter-list.tsx";
import { jobQuery } from "./queries.ts";
import { StepFlow } from "./step-flow.tsx";

const route = getRouteApi("/frame/jobs/$jobId");

/** What a job does, what it takes, and how it has gone. */
export function JobOverview() {
  const { jobId } = route.useParams();
  const { data: job } = useQuery(jobQuery(jobId));
  const mayReadRuns = useCan()("JobService:JobExecution:read");
  useLiveLists(mayReadRuns);
  if (!job) return null;
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Section title={job.steps.length === 1 ? "1 step" : `${job.steps.length} steps`}>
          <StepFlow steps={job.steps} />
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="lg">
          {mayReadRuns && (
            <Section title="Executions">
              <JobSummaryCard jobId={jobId} />
            </Section>
          )}
          <Section title="Parameters">
            <Paper p="md">
              <ParameterList schema={job.parameters} />
            </Paper>
          </Section>
          <Section title="About">
            <Paper p="xs">
              <About job={job} />
            </Paper>
          </Section>
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function About({ job }: { job: Job }) {
  const rows: [string, React.ReactNode][] = [
    ["Version", job.version],
    ["Changed", <TimeText key="at" at={job.updatedAt} />],
    ["Changed by", job.updatedBy],
    ["Created", <TimeText key="at" at={job.createdAt} />],
  ];
  if (job.concurrency) {
    const { limit, onLimit } = job.concurrency;
    rows.push(["At a time", `${limit}; others ${onLimit === "reject" ? "are refused" : "wait"}`]);
  }
  if (job.timeoutMs !== undefined) rows.push(["Takes at most", formatDuration(job.timeoutMs)]);
  rows.push(["Assistants", job.mcp?.exposed === false ? "don't see it" : "may run it, if their user may"]);
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={4} fz="sm">
      <Table.Tbody>
        {rows.map(([label, value]) => (
          <Table.Tr key={label}>
            <Table.Th w={120} bg="transparent" fw={400} c="dimmed">
              {label}
            </Table.Th>
            <Table.Td>
              <Text size="sm" component="span" style={{ overflowWrap: "anywhere" }}>
                {value}
              </Text>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
