import type { BulkOutcome } from "@contract/control.ts";
import { Button, Group, Modal, Progress, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { api } from "../../services/api.ts";
import { type BulkActionName, type BulkScope, bulkActions } from "./bulk-actions.ts";
import { BulkOutcomes } from "./bulk-outcomes.tsx";
import { countOf, useChanged } from "./control.ts";

const atOnce = 200;

/** What is to be done, and to which. */
export interface Asked {
  action: BulkActionName;
  scope: BulkScope;
}

export function BulkDialog({ asked, onClose }: { asked: Asked | undefined; onClose: () => void }) {
  // What was asked for last stays while the dialog fades.
  const shown = useRef(asked);
  if (asked) shown.current = asked;
  return (
    <Modal
      opened={asked !== undefined}
      onClose={onClose}
      title={shown.current && `${actionOf(shown.current).verb} executions`}
    >
      {shown.current && <Bulk key={shown.current.action} asked={shown.current} onClose={onClose} />}
    </Modal>
  );
}

const actionOf = ({ action }: Asked) => bulkActions.find(({ name }) => name === action)!;

interface Progressed {
  done: number;
  refused: number;
  /** To be told: the refusals, and of those chosen one by one all. */
  outcomes: BulkOutcome[];
}

/** Counts first what it would act on; then acts, a part at a time, and tells what was refused. */
function Bulk({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const { action, scope } = asked;
  const { filter, chosen } = scope;
  const { verb, of, says, done } = actionOf(asked);
  const changed = useChanged();
  const [reason, setReason] = useState("");
  const [progress, setProgress] = useState<Progressed>({ done: 0, refused: 0, outcomes: [] });
  const left = useRef(new AbortController());
  // Whoever closes the dialog stops what is not sent yet.
  useEffect(() => {
    const end = new AbortController();
    left.current = end;
    return () => end.abort();
  }, []);

  const dryRun = useQuery({
    queryKey: ["executions", "bulk", action, filter],
    queryFn: async ({ signal }) =>
      (await api.bulkControl({ body: { action, filter, dryRun: true }, signal })).data,
    staleTime: 0,
    gcTime: 0,
  });
  const act = useMutation({
    mutationFn: async () => {
      const sum: Progressed = { done: 0, refused: 0, outcomes: [] };
      const said = reason.trim();
      for (let after: string | undefined; !left.current.signal.aborted; ) {
        const body = {
          action,
          filter,
          limit: atOnce,
          ...(said ? { reason: said } : {}),
          ...(after ? { after } : {}),
        };
        const { data } = await api.bulkControl({ body });
        sum.done += data.done;
        sum.refused += data.failed;
        sum.outcomes.push(...data.outcomes.filter((outcome) => chosen || !outcome.done));
        setProgress({ ...sum, outcomes: [...sum.outcomes] });
        if (data.next === null) break;
        after = data.next;
      }
      return sum;
    },
    onSettled: changed,
  });

  if (dryRun.error) return <Fault error={dryRun.error} onRetry={() => void dryRun.refetch()} />;
  if (!dryRun.data) return <Skeleton height={72} />;
  const { matched } = dryRun.data;
  const handled = progress.done + progress.refused;
  const untouched = chosen ? chosen.size - handled : 0;

  if (act.isSuccess) {
    return (
      <Stack gap="md">
        <Text size="sm">
          {countOf(progress.done, "execution")} {done}
          {progress.refused > 0 && `, ${progress.refused.toLocaleString()} refused`}.
          {untouched > 0 &&
            ` ${untouched.toLocaleString()} of those chosen ${untouched === 1 ? "was" : "were"} not ${of}.`}
        </Text>
        <BulkOutcomes outcomes={progress.outcomes} names={chosen} />
        <Group justify="flex-end">
          <Button onClick={onClose}>Close</Button>
        </Group>
      </Stack>
    );
  }
  if (matched === 0) {
    return (
      <Stack gap="md">
        <Text size="sm">
          {noneOf(scope)} is {of}, so there is nothing to do.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        act.mutate();
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          <b>{countOf(matched, "execution")}</b> {matched === 1 ? "is" : "are"} {of}
          {among(scope)}. {says}
        </Text>
        <Textarea
          label="Reason"
          description="Kept in the history of each."
          autosize
          minRows={1}
          maxRows={6}
          maxLength={2000}
          value={reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        {act.isPending && <Progress value={(handled / matched) * 100} animated aria-label="How far it is" />}
        {act.error && <Fault error={act.error} title={`It ended after ${countOf(handled, "execution")}`} />}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose}>
            {act.isPending ? "Stop here" : "Leave it"}
          </Button>
          <Button type="submit" color={action === "STOP" ? "red.8" : undefined} loading={act.isPending}>
            {verb} {countOf(matched, "execution")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function noneOf({ chosen, filtered }: BulkScope): string {
  if (chosen)
    return chosen.size === 1 ? "No chosen execution" : `None of the ${chosen.size.toLocaleString()} chosen`;
  return filtered ? "None of those that the list shows" : "None of all executions";
}

function among({ chosen, filtered }: BulkScope): string {
  if (chosen) return chosen.size === 1 ? "" : ` among the ${chosen.size.toLocaleString()} chosen`;
  return filtered ? " among those that the list shows" : ". No filter is set: these are all that you may see";
}
