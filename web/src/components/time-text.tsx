import { useNow } from "./clock.ts";
import { formatDuration, fullTime, relativeTime, shortTime } from "./time-format.ts";

/** A time, local; the whole of it and UTC on hover. `ago`: how long it is away, counting along. */
export function TimeText({ at, ago }: { at: string | null | undefined; ago?: boolean }) {
  const now = useNow(Boolean(ago));
  if (!at) return <span>–</span>;
  const date = new Date(at);
  return (
    <time dateTime={at} title={fullTime(date)} style={{ whiteSpace: "nowrap" }}>
      {ago ? relativeTime(date, now) : shortTime(date)}
    </time>
  );
}

/** A length of time; or, of what still goes on, the time since it began, counting along. */
export function DurationText({
  ms,
  since,
}: {
  ms?: number | null | undefined;
  since?: string | null | undefined;
}) {
  const counting = (ms === null || ms === undefined) && Boolean(since);
  const now = useNow(counting);
  const shown = counting ? Math.max(0, Math.floor((now - Date.parse(since!)) / 1000) * 1000) : ms;
  if (shown === null || shown === undefined) return <span>–</span>;
  return (
    <span style={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}>
      {counting && shown < 60_000 ? `${shown / 1000} s` : formatDuration(shown)}
    </span>
  );
}
