import { Button, Grid, Group, Paper, SegmentedControl, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { Section } from "../../components/page.tsx";
import { JsonEditor } from "../../components/schema-form/json-editor.tsx";
import { SchemaForm } from "../../components/schema-form/lazy.tsx";
import { api, asClientError } from "../../services/api.ts";
import { keys } from "../../services/keys.ts";
import { useCan } from "../../services/session.tsx";
import { jobQuery } from "./queries.ts";
import { conditionsOf } from "./step-summary.ts";

const route = getRouteApi("/frame/jobs/$jobId");

type Values = Record<string, unknown>;

/** Starts a job with parameters from a form made of its schema, or from JSON. */
export function StartPage() {
  const { jobId } = route.useParams();
  const { data: job } = useQuery(jobQuery(jobId));
  const can = useCan();
  const [values, setValues] = useState<Values>();
  const [asJson, setAsJson] = useState(false);
  // Another form for other values: the fields would keep what was typed before.
  const [filled, setFilled] = useState(0);
  const start = useStart(jobId);
  if (!job) return null;

  const schema = job.parameters ?? { type: "object" };
  const described = Object.keys((schema.properties as object | undefined) ?? {}).length > 0;
  const refusal = asClientError(start.error);
  const faults = refusal?.details.map(({ path, message }) => ({
    path: path.replace(/^\/parameters/, ""),
    message,
  }));
  const buttons = (
    <Group mt="lg">
      <Button
        type={asJson ? "button" : "submit"}
        loading={start.isPending}
        onClick={asJson ? () => start.mutate(values ?? {}) : undefined}
      >
        Start {job.name.length > 30 ? "the job" : job.name}
      </Button>
    </Group>
  );

  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Section
          title="Parameters"
          actions={
            <Group gap="xs">
              {can("JobService:JobExecution:read") && (
                <LastParameters
                  jobId={jobId}
                  onUse={(last) => {
                    setValues(last);
                    setFilled(filled + 1);
                  }}
                />
              )}
              <SegmentedControl
                size="xs"
                aria-label="How to write them"
                data={[
                  { value: "form", label: "Form" },
                  { value: "json", label: "JSON" },
                ]}
                value={asJson ? "json" : "form"}
                onChange={(how) => setAsJson(how === "json")}
              />
            </Group>
          }
        >
          <Paper p="lg">
            {start.error && (faults?.length ?? 0) === 0 && (
              <Fault error={start.error} title="It was not started" />
            )}
            {asJson ? (
              <Stack gap="md">
                <JsonEditor value={values ?? {}} onChange={setValues} label="Parameters" />
                {start.error && <Fault error={start.error} title="It was not started" />}
                {buttons}
              </Stack>
            ) : (
              <>
                {!described && (
                  <Text size="sm" c="dimmed" mb="md">
                    {job.parameters
                      ? "No parameters are described: write them as JSON, or start without any."
                      : "The job takes no parameters."}
                  </Text>
                )}
                <SchemaForm
                  key={filled}
                  idPrefix="start"
                  schema={schema}
                  value={values}
                  onChange={setValues}
                  onSubmit={(all) => start.mutate(all)}
                  faults={faults}
                >
                  {buttons}
                </SchemaForm>
              </>
            )}
          </Paper>
        </Section>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Section title="What will run">
          <Paper p="lg">
            <Stack gap={6} component="ol" m={0} pl="lg">
              {job.steps.map((step) => (
                <Text key={step.id} component="li" size="sm" style={{ overflowWrap: "anywhere" }}>
                  {step.name ?? step.key}
                  <Text span size="xs" c="dimmed">
                    {[step.when && "on a condition", ...conditionsOf(step)]
                      .filter(Boolean)
                      .map((said) => ` · ${said}`)}
                  </Text>
                </Text>
              ))}
            </Stack>
          </Paper>
        </Section>
      </Grid.Col>
    </Grid>
  );
}

function useStart(jobId: string) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  // The same start however often the button is pressed or the answer is lost, and a new one once the values are others.
  const [keysUsed] = useState(() => new Map<string, string>());
  return useMutation({
    mutationFn: async (parameters: Values) => {
      const text = JSON.stringify(parameters);
      const key = keysUsed.get(text) ?? crypto.randomUUID();
      keysUsed.set(text, key);
      const body = { jobId, parameters, triggeredBy: "manual", triggerSource: "ui" };
      return (await api.startJob({ body, headers: { "idempotency-key": key } })).data;
    },
    onSuccess: ({ executionId }) => {
      void queryClient.invalidateQueries({ queryKey: keys.executions.lists });
      return navigate({ to: "/executions/$executionId", params: { executionId } });
    },
  });
}

function LastParameters({ jobId, onUse }: { jobId: string; onUse: (values: Values) => void }) {
  const last = useQuery({
    queryKey: ["executions", "list", "last", jobId],
    // None yet is an answer, not a fault.
    queryFn: ({ signal }) =>
      api.getLastExecution({ params: { jobId }, signal }).then(
        ({ data }) => data.parameters,
        () => null,
      ),
  });
  if (!last.data || Object.keys(last.data).length === 0) return null;
  return (
    <Button size="compact-sm" variant="subtle" onClick={() => onUse(last.data as Values)}>
      As last time
    </Button>
  );
}
