import { Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheckFilled,
  IconCircleDashed,
  IconCircleX,
  IconLoader2,
} from "@tabler/icons-react";
import type { IconType } from "../../components/icon.ts";
import { formatDuration } from "../../components/time-format.ts";
import classes from "./step-list.module.css";

export interface ShownStep {
  name: string;
  /** RUNNING: under way now. */
  status: "SUCCESS" | "WARNING" | "FAILED" | "SKIPPED" | "RUNNING";
  message?: string | undefined;
  code?: string | undefined;
  durationMs?: number | undefined;
}

const looks: Record<ShownStep["status"], { icon: IconType; tone: string; word: string }> = {
  SUCCESS: { icon: IconCircleCheckFilled, tone: "green", word: "Done" },
  WARNING: { icon: IconAlertTriangle, tone: "amber", word: "Done, with a remark" },
  FAILED: { icon: IconCircleX, tone: "red", word: "Failed" },
  SKIPPED: { icon: IconCircleDashed, tone: "gray", word: "Skipped" },
  RUNNING: { icon: IconLoader2, tone: "blue", word: "Under way" },
};

/** How an attempt went, step by step: what each found, and how long it took. */
export function StepList({
  steps,
  label,
  words = {},
}: {
  steps: ShownStep[];
  label: string;
  words?: Record<string, string>;
}) {
  return (
    <ol className={classes.steps} aria-label={label}>
      {steps.map(({ name, status, message, code, durationMs }) => {
        const { icon: Icon, tone, word } = looks[status];
        return (
          <li key={name} className={classes.step} data-status={status}>
            <span
              className={status === "RUNNING" ? classes.moving : classes.icon}
              style={{ color: `var(--st-${tone})` }}
              role="img"
              aria-label={word}
            >
              <Icon size={18} stroke={2} />
            </span>
            <span className={classes.text}>
              <Text span size="sm" fw={600}>
                {words[name] ?? nameText(name)}
              </Text>
              {message && (
                <Text size="xs" c={status === "FAILED" ? "var(--st-red)" : "dimmed"} className="any-text">
                  {message}
                  {code && (
                    <Text span inherit className="mono">
                      {" "}
                      {code}
                    </Text>
                  )}
                </Text>
              )}
            </span>
            <Text span size="xs" c="dimmed" className={classes.time}>
              {durationMs !== undefined && status !== "SKIPPED" ? formatDuration(durationMs) : ""}
            </Text>
          </li>
        );
      })}
    </ol>
  );
}

/** RESOLVE_ADDRESS: Resolve address. */
function nameText(name: string): string {
  if (name.length < 4) return name.toUpperCase();
  const words = name.replaceAll(/[_-]+/g, " ").toLowerCase();
  return words.replace(/^./, (letter) => letter.toUpperCase());
}
