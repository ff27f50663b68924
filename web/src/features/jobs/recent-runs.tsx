import type { HistoryItem } from "@contract/execution.ts";
import { looks, solidOf } from "../../components/status.ts";
import { formatDuration, fullTime } from "../../components/time-format.ts";
import classes from "./recent-runs.module.css";

/** The newest executions as bars, the latest at the right: their colour says how they ended, their height how long they took. */
export function RecentRuns({ runs, slots = 10 }: { runs: HistoryItem[]; slots?: number }) {
  const most = Math.max(1, ...runs.map(({ durationMs }) => durationMs ?? 0));
  const words = runs.map(({ status }) => looks[status].label).join(", ");
  return (
    <span
      className={classes.bars}
      role="img"
      aria-label={runs.length > 0 ? `The latest first: ${words}` : "No executions yet"}
    >
      {Array.from({ length: slots }, (_, i) => {
        const run = runs[slots - 1 - i];
        if (!run) {
          // biome-ignore lint/suspicious/noArrayIndexKey: an empty place
          return <span key={i} className={classes.none} />;
        }
        const height = run.durationMs === null ? 1 : 0.25 + 0.75 * Math.sqrt(run.durationMs / most);
        return (
          <span
            key={run.id}
            className={classes.bar}
            title={`${looks[run.status].label}${run.durationMs === null ? "" : ` in ${formatDuration(run.durationMs)}`}\n${fullTime(new Date(run.startTime))}`}
            style={{ height: `${Math.round(height * 100)}%`, background: solidOf(run.status) }}
          />
        );
      })}
    </span>
  );
}
