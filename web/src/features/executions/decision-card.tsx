import type { JobExecution } from "@contract/execution.ts";
import { Button, Group, Modal, Paper, Stack, Text } from "@mantine/core";
import { IconCheck, IconHandStop, IconX } from "@tabler/icons-react";
import { useState } from "react";
import { type Choice, DecisionForm } from "../approvals/decision-form.tsx";
import { Decided, DecisionTerms, lastDecision } from "../approvals/decision-state.tsx";
import { leadsTo } from "../approvals/leads-to.ts";
import { LinkMaker } from "../approvals/link-maker.tsx";
import classes from "./banner.module.css";
import { useMayDecide } from "./control.ts";

interface DecisionCardProps {
  execution: JobExecution;
  /** Of the address: a link that asks for the decision opens it. */
  decide: Choice | undefined;
  onDecide: (decide: Choice | undefined) => void;
}

/** What an execution waits for somebody to decide, and the way to do it; or who has done it, for who comes too late. */
export function DecisionCard({ execution, decide, onDecide }: DecisionCardProps) {
  const mayDecide = useMayDecide();
  // What was read when the dialog was opened: the question must not change under somebody's hands.
  const [late, setLate] = useState(false);
  const { waitingFor } = execution;
  const close = () => {
    setLate(false);
    onDecide(undefined);
  };
  const may = waitingFor !== null && mayDecide(waitingFor);
  return (
    <>
      {waitingFor && (
        <Paper className={classes.banner} data-tone="violet" p="md" component="section" aria-label="Decision">
          <IconHandStop size={22} stroke={1.7} aria-hidden className={classes.icon} />
          <Stack gap="sm" style={{ minWidth: 0, flex: 1 }}>
            <Text className="any-text" fw={550} style={{ maxHeight: 240, overflow: "auto" }}>
              {waitingFor.message || "It waits for a decision."}
            </Text>
            <DecisionTerms waitingFor={waitingFor} />
            {may ? (
              <Group gap="sm">
                <Button leftSection={<IconCheck size={16} />} onClick={() => onDecide("approve")}>
                  Approve …
                </Button>
                <Button
                  variant="default"
                  leftSection={<IconX size={16} />}
                  onClick={() => onDecide("reject")}
                >
                  Reject …
                </Button>
                <LinkMaker executionId={execution.id} />
              </Group>
            ) : (
              <Text size="sm" c="dimmed">
                You may not decide this.
              </Text>
            )}
          </Stack>
        </Paper>
      )}
      <Modal opened={decide !== undefined} onClose={close} title="Your decision" size="lg">
        {waitingFor && may && !late ? (
          <Stack gap="md">
            <Text size="sm" className="any-text" style={{ maxHeight: 240, overflow: "auto" }}>
              {waitingFor.message}
            </Text>
            <DecisionForm
              key={`${waitingFor.stepExecutionId} ${decide}`}
              executionId={execution.id}
              waitingFor={waitingFor}
              choice={decide}
              leadsTo={leadsTo(execution)}
              onDone={(outcome) => (outcome === "changed" ? setLate(true) : close())}
            />
          </Stack>
        ) : (
          <NotAnyMore execution={execution} may={waitingFor === null || may} onClose={close} />
        )}
      </Modal>
    </>
  );
}

function NotAnyMore({
  execution,
  may,
  onClose,
}: {
  execution: JobExecution;
  may: boolean;
  onClose: () => void;
}) {
  const decision = lastDecision(execution);
  return (
    <Stack gap="md">
      <Text size="sm">
        {may ? "There is nothing to decide any more." : "This decision is left to others."}
      </Text>
      {decision && <Decided decision={decision} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
      </Group>
    </Stack>
  );
}
