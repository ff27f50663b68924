import type { BulkOutcome } from "@contract/control.ts";
import type { FilterRequest } from "@contract/search.ts";
import { Button, Group, Modal, Progress, Skeleton, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { api } from "../../services/api.ts";
import type { BulkActionName } from "./bulk-menu.tsx";
import { BulkRefusals } from "./bulk-refusals.tsx";
import { countOf, useChanged } from "./control.ts";

interface Words {
  verb: string;
  /** Which of those found it acts on. */
  of: string;
  says: string;
  done: string;
}

const words: Record<BulkActionName, Words> = {
  PAUSE: {
    verb: "Pause",
    of: "running",
    says: "The steps under way finish; nothing further starts until they are resumed.",
    done: "paused",
  },
  RESUME: {
    verb: "Resume",
    of: "paused by hand",
    says: "They go on with their next step. Those that need a decision stay as they are.",
    done: "resumed",
  },
  STOP: {
    verb: "Stop",
    of: "running or paused",
    says: "The steps under way are ended now, and no further step runs. It can’t be undone; they can be restarted.",
    done: "stopped",
  },
  RESTART: {
    verb: "Restart",
    of: "failed or stopped",
    says: "Each goes on from the step that failed or was stopped; the results before it are kept.",
    done: "restarted",
  },
};

const atOnce = 200;

interface BulkDialogProps {
  action: BulkActionName | undefined;
  filter: FilterRequest;
  filtered: boolean;
  onClose: () => void;
}

export function BulkDialog({ action, filter, filtered, onClose }: BulkDialogProps) {
  const shown = useRef<BulkActionName>("PAUSE");
  if (action) shown.current = action;
  const { verb } = words[shown.current];
  return (
    <Modal opened={action !== undefined} onClose={onClose} title={`${verb} executions`}>
      <Bulk
        key={shown.current}
        action={shown.current}
        filter={filter}
        filtered={filtered}
        onClose={onClose}
      />
    </Modal>
  );
}

interface Progressed {
  done: number;
  refused: BulkOutcome[];
}

/** Counts first what it would act on; then acts, a part at a time, and tells what was refused. */
function Bulk({ action, filter, filtered, onClose }: BulkDialogProps & { action: BulkActionName }) {
  const { verb, of, says, done } = words[action];
  const changed = useChanged();
  const [reason, setReason] = useState("");
  const [progress, setProgress] = useState<Progressed>({ done: 0, refused: [] });
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
      const sum: Progressed = { done: 0, refused: [] };
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
        sum.refused.push(...data.outcomes.filter((outcome) => !outcome.done));
        setProgress({ done: sum.done, refused: [...sum.refused] });
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
  const handled = progress.done + progress.refused.length;

  if (act.isSuccess) {
    return (
      <Stack gap="md">
        <Text size="sm">
          {countOf(progress.done, "execution")} {done}
          {progress.refused.length > 0 && `, ${progress.refused.length.toLocaleString()} refused`}.
        </Text>
        <BulkRefusals refused={progress.refused} />
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
          None of {filtered ? "those that the list shows" : "all executions"} is {of}, so there is nothing to
          do.
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
          {filtered
            ? " among those that the list shows"
            : ". No filter is set: these are all that you may see"}
          . {says}
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
