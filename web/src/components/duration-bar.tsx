import type { ExecutionStatus } from "@contract/execution.ts";
import classes from "./duration-bar.module.css";
import { solidOf } from "./status.ts";
import { DurationText } from "./time-text.tsx";

/** How long it took, as a number and as a bar beside the longest. */
export function DurationBar({
  execution: { status, durationMs, startTime },
  longest,
}: {
  execution: { status: ExecutionStatus; durationMs: number | null; startTime: string };
  longest: number;
}) {
  const share = durationMs === null || longest === 0 ? 0 : Math.min(1, durationMs / longest);
  return (
    <span className={classes.cell}>
      <span className={classes.number}>
        <DurationText ms={durationMs} since={startTime} />
      </span>
      <span className={classes.track} aria-hidden>
        {durationMs !== null && (
          <span
            className={classes.bar}
            style={{ width: `${Math.max(1.5, share * 100)}%`, background: solidOf(status) }}
          />
        )}
      </span>
    </span>
  );
}
