import type { ExecutionAction, JobExecution } from "@contract/execution.ts";
import { Text, Timeline } from "@mantine/core";
import {
  IconCheck,
  IconClockX,
  IconHandStop,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconRefresh,
  IconX,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { IconType } from "../../components/icon.ts";
import { looks } from "../../components/status.ts";
import { TimeText } from "../../components/time-text.tsx";
import { triggerText } from "./trigger-text.ts";

const acts: Record<ExecutionAction["action"], { icon: IconType; word: string }> = {
  PAUSE: { icon: IconPlayerPauseFilled, word: "Paused" },
  RESUME: { icon: IconPlayerPlayFilled, word: "Resumed" },
  STOP: { icon: IconPlayerStopFilled, word: "Stopped" },
  RESTART: { icon: IconRefresh, word: "Restarted" },
  APPROVE: { icon: IconCheck, word: "Approved" },
  REJECT: { icon: IconX, word: "Rejected" },
  FAIL: { icon: IconClockX, word: "Failed, as nobody decided in time," },
};

/** Who did what to an execution and when, the latest first. */
export function History({ execution }: { execution: JobExecution }) {
  const { actions, startedBy, startTime, endTime, status, waitingFor } = execution;
  const points: {
    key: string;
    icon: IconType;
    title: ReactNode;
    at: string | null;
    reason?: string | null;
  }[] = [
    {
      key: "start",
      icon: IconPlayerPlayFilled,
      title: <By word="Started" who={startedBy} how={triggerText(execution)} />,
      at: startTime,
    },
    ...actions.map(({ action, actor, reason, at, run }, i) => ({
      key: `${i} ${at}`,
      icon: acts[action].icon,
      title: (
        <By
          word={acts[action].word}
          who={actor}
          how={action === "RESTART" ? `attempt ${run + 1}` : undefined}
        />
      ),
      at,
      reason,
    })),
  ];
  if (waitingFor) points.push({ key: "now", icon: IconHandStop, title: "Waits for a decision", at: null });
  // Whoever stopped it is said already.
  if (endTime && status !== "STOPPED")
    points.push({ key: "end", icon: looks[status].icon, title: looks[status].label, at: endTime });
  return (
    <Timeline bulletSize={22} lineWidth={2} m="md" color="gray" aria-label="History">
      {points.toReversed().map(({ key, icon: Icon, title, at, reason }, i) => (
        <Timeline.Item
          key={key}
          mt={i === 0 ? 0 : "sm"}
          bullet={<Icon size={12} />}
          title={<Text size="sm">{title}</Text>}
        >
          {reason && (
            <Text size="sm" className="any-text">
              {reason}
            </Text>
          )}
          {at && (
            <Text size="xs" c="dimmed" component="div">
              <TimeText at={at} /> · <TimeText at={at} ago />
            </Text>
          )}
        </Timeline.Item>
      ))}
    </Timeline>
  );
}

function By({ word, who, how }: { word: string; who: string; how?: string | undefined }) {
  return (
    <span style={{ overflowWrap: "anywhere" }}>
      {word} by <b>{who}</b>
      {how && (
        <Text span c="dimmed" size="sm">
          {" "}
          · {how}
        </Text>
      )}
    </span>
  );
}
