import type { JobExecution } from "@contract/execution.ts";
import { Button, Group, Modal, NativeSelect, Radio, Stack, Switch, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { SchemaForm } from "../../components/schema-form/lazy.tsx";
import { api, asClientError } from "../../services/api.ts";
import { useCan } from "../../services/session.tsx";
import { jobQuery, versionQuery } from "../jobs/queries.ts";
import { countOf, restartPoints, useChanged } from "./control.ts";
import { short } from "./control-buttons.tsx";
import { withoutMasked } from "./masked.ts";

interface RestartDialogProps {
  execution: JobExecution;
  opened: boolean;
  /** Key of the step to begin with; the failed one, or the first without a result, when left out. */
  from?: string | undefined;
  onClose: () => void;
}

/** Runs a failed or stopped execution again from a step on, once it is said what that means. */
export function RestartDialog({ execution, opened, from, onClose }: RestartDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title="Restart the execution" size="lg">
      <RestartForm execution={execution} from={from} onDone={onClose} />
    </Modal>
  );
}

type Values = Record<string, unknown>;

function RestartForm({
  execution,
  from,
  onDone,
}: {
  execution: JobExecution;
  from: string | undefined;
  onDone: () => void;
}) {
  const can = useCan();
  const changed = useChanged();
  const points = restartPoints(execution);
  const [step, setStep] = useState(from ?? points.at(-1)?.stepKey ?? "");
  const [latest, setLatest] = useState(false);
  const [changing, setChanging] = useState(false);
  const [values, setValues] = useState<Values | undefined>(
    () => withoutMasked(execution.parameters) as Values,
  );
  const [reason, setReason] = useState("");
  const mayChange = can("JobService:Job:execute", "JobService:Job:read");
  const { data: job } = useQuery({ ...jobQuery(execution.jobId), enabled: mayChange });
  const newer = job !== undefined && job.version > execution.jobVersion;
  const steps =
    latest && job ? job.steps.map(({ key }) => key) : execution.stepExecutions.map((one) => one.stepKey);
  const position = steps.indexOf(step);
  const count = position === -1 ? 0 : steps.length - position;

  const restart = useMutation({
    mutationFn: () =>
      api.restartExecution({
        body: {
          jobExecutionId: execution.id,
          fromStepId: step,
          ...(latest ? { version: "latest" as const } : {}),
          ...(changing ? { parameters: values ?? {} } : {}),
          ...(reason.trim() === "" ? {} : { reason: reason.trim() }),
        },
      }),
    onSuccess: () => {
      changed();
      onDone();
    },
  });
  const refusal = asClientError(restart.error);
  const faults = refusal?.details.filter(({ path }) => path.startsWith("/parameters"));

  return (
    <Stack gap="md">
      <NativeSelect
        label="From the step"
        data={points.map(({ stepKey, stepName }, i) => ({
          value: stepKey,
          label: `${i + 1}. ${short(stepName)}`,
        }))}
        value={step}
        onChange={({ currentTarget }) => setStep(currentTarget.value)}
      />
      {mayChange && newer && (
        <Radio.Group
          label="Version of the job"
          value={latest ? "latest" : "same"}
          onChange={(which) => setLatest(which === "latest")}
        >
          <Stack gap={6} mt={6}>
            <Radio value="same" label={`${execution.jobVersion}, which it ran`} />
            <Radio value="latest" label={`${job.version}, the newest`} />
          </Stack>
        </Radio.Group>
      )}
      {mayChange && (
        <Switch
          label="Other parameters"
          checked={changing}
          onChange={({ currentTarget }) => setChanging(currentTarget.checked)}
        />
      )}
      {changing && (
        <Parameters
          jobId={execution.jobId}
          version={latest && job ? job.version : execution.jobVersion}
          values={values}
          onChange={setValues}
          faults={faults}
        />
      )}
      <Text size="sm" p="sm" className="foretold">
        {saidOf(position, count, latest)} What they answered so far stays readable as attempt{" "}
        {execution.attempts.at(-1)?.run ?? execution.run}.
      </Text>
      <Textarea
        label="Reason"
        description="Kept in the history."
        autosize
        minRows={1}
        maxRows={6}
        maxLength={2000}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
      />
      {restart.error && <Fault error={restart.error} title="It was not restarted" />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onDone}>
          Leave it
        </Button>
        <Button onClick={() => restart.mutate()} loading={restart.isPending} disabled={count === 0}>
          Restart {countOf(count, "step")}
        </Button>
      </Group>
    </Stack>
  );
}

/** What will happen, before it does. */
function saidOf(position: number, count: number, latest: boolean): string {
  if (position === -1) return "The newest version has no such step: choose an earlier one.";
  const kept =
    position === 0
      ? "It begins anew."
      : position === 1
        ? "The result of the step before it is kept as it is."
        : `The results of the ${position} steps before it are kept as they are.`;
  const which = latest ? " of the newest version" : "";
  return `${kept} ${countOf(count, "step")}${which} ${count === 1 ? "runs" : "run"} again.`;
}

interface ParametersProps {
  jobId: string;
  version: number;
  values: Values | undefined;
  onChange: (values: Values) => void;
  faults: { path: string; message: string }[] | undefined;
}

function Parameters({ jobId, version, values, onChange, faults }: ParametersProps) {
  const { data, error, refetch } = useQuery(versionQuery(jobId, version));
  if (error) return <Fault error={error} onRetry={() => void refetch()} />;
  if (!data) return null;
  return (
    <SchemaForm
      idPrefix="restart"
      schema={data.definition.parameters ?? { type: "object" }}
      value={values}
      onChange={onChange}
      faults={
        faults?.map(({ path, message }) => ({ path: path.replace(/^\/parameters/, ""), message })) ?? []
      }
    >
      <span />
    </SchemaForm>
  );
}
