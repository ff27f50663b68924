import type { ExecutionAction, JobExecution } from "@contract/execution.ts";
import { Text } from "@mantine/core";
import { TimeText } from "../../components/time-text.tsx";

/** The last decision of an execution, if there was one. */
export function lastDecision({ actions }: Pick<JobExecution, "actions">): ExecutionAction | undefined {
  return actions.findLast(({ action }) => action === "APPROVE" || action === "REJECT");
}

/** Who decided, when, and what they said. */
export function Decided({ decision: { action, actor, at, reason } }: { decision: ExecutionAction }) {
  return (
    <Text size="sm" component="div" className="any-text">
      {action === "APPROVE" ? "Approved" : "Rejected"} by <b>{actor}</b> <TimeText at={at} ago />
      {reason && <>: {reason}</>}
    </Text>
  );
}

/** Who may decide, where not everybody may who decides at all; and until when. */
export function DecisionTerms({ waitingFor }: { waitingFor: NonNullable<JobExecution["waitingFor"]> }) {
  const { principals, authorities, deadline, onDeadline } = waitingFor;
  const who = [...principals, ...authorities.map((authority) => `holders of ${authority}`)];
  return (
    <Text size="xs" c="dimmed" component="div" style={{ overflowWrap: "anywhere" }}>
      {who.length > 0 && <div>Left to {who.join(", ")}.</div>}
      {deadline && (
        <div>
          {ends[onDeadline ?? "fail"]} <TimeText at={deadline} ago />, unless it is decided before.
        </div>
      )}
    </Text>
  );
}

const ends = { approve: "It is approved by itself", reject: "It is rejected by itself", fail: "It fails" };
