import type { WaitingFor } from "@contract/execution.ts";
import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { SchemaForm } from "../../components/schema-form/lazy.tsx";
import { api, asClientError } from "../../services/api.ts";
import { useChanged } from "../executions/control.ts";

export type Choice = "approve" | "reject";

interface DecisionFormProps {
  executionId: string;
  waitingFor: WaitingFor;
  /** Which of the two is at hand at first. */
  choice?: Choice | undefined;
  /** What each leads to, in a sentence. */
  leadsTo: Record<Choice, string>;
  /** `changed`: somebody else was first, or the question is another by now. */
  onDone: (outcome: Choice | "changed") => void;
}

/** Answers what a step asks: the form's fields, a comment, yes or no. Each says what it leads to before it is done. */
export function DecisionForm({ executionId, waitingFor, choice: first, leadsTo, onDone }: DecisionFormProps) {
  const { form, stepExecutionId } = waitingFor;
  const [choice, setChoice] = useState<Choice | undefined>(first);
  const [answers, setAnswers] = useState<Record<string, unknown>>();
  const [comment, setComment] = useState("");
  const changed = useChanged();

  const decision = useMutation({
    mutationFn: async ({ approve, given }: { approve: boolean; given?: Record<string, unknown> }) => {
      const said = comment.trim();
      const body = {
        jobExecutionId: executionId,
        approve,
        stepExecutionId,
        ...(said ? { comment: said } : {}),
        ...(approve && form ? { answers: given ?? {} } : {}),
      };
      return api.answerExecution({ body });
    },
    onSuccess: (_, { approve }) => {
      changed();
      onDone(approve ? "approve" : "reject");
    },
    onError: (error) => {
      if (asClientError(error)?.code !== "INVALID_STATE") return;
      changed();
      onDone("changed");
    },
  });
  const refusal = asClientError(decision.error);
  const faults = refusal?.details.filter(({ path }) => path.startsWith("/answers")) ?? [];

  const commentField = (
    <Textarea
      label="Comment"
      description="Kept in the history."
      autosize
      minRows={1}
      maxRows={6}
      maxLength={2000}
      mt={form && choice === "approve" ? "md" : 0}
      value={comment}
      onChange={({ currentTarget }) => setComment(currentTarget.value)}
    />
  );
  if (choice === undefined) return <Choices onChoose={setChoice} />;

  const send = (
    <>
      {commentField}
      <Text size="sm" mt="md" p="sm" className="foretold">
        {leadsTo[choice]}
      </Text>
      {decision.error && faults.length === 0 && <Fault error={decision.error} title="It was not decided" />}
      <Group mt="md" gap="sm" justify="space-between">
        <Button
          variant="subtle"
          color="gray"
          onClick={() => setChoice(choice === "approve" ? "reject" : "approve")}
        >
          {choice === "approve" ? "Reject instead" : "Approve instead"}
        </Button>
        <Button
          type="submit"
          color={choice === "reject" ? "red.8" : undefined}
          loading={decision.isPending}
          leftSection={choice === "approve" ? <IconCheck size={16} /> : <IconX size={16} />}
        >
          {choice === "approve" ? "Approve" : "Reject"}
        </Button>
      </Group>
    </>
  );
  if (form && choice === "approve") {
    return (
      <SchemaForm
        idPrefix={`decide-${stepExecutionId.slice(0, 8)}`}
        schema={form}
        value={answers}
        onChange={setAnswers}
        onSubmit={(given) => decision.mutate({ approve: true, given })}
        faults={faults.map(({ path, message }) => ({ path: path.replace(/^\/answers/, ""), message }))}
      >
        {send}
      </SchemaForm>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        decision.mutate({ approve: choice === "approve" });
      }}
    >
      <Stack gap={0}>{send}</Stack>
    </form>
  );
}

function Choices({ onChoose }: { onChoose: (choice: Choice) => void }) {
  return (
    <Group gap="sm">
      <Button leftSection={<IconCheck size={16} />} onClick={() => onChoose("approve")}>
        Approve …
      </Button>
      <Button variant="default" leftSection={<IconX size={16} />} onClick={() => onChoose("reject")}>
        Reject …
      </Button>
    </Group>
  );
}
