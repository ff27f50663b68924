import type { StepLogLine } from "@contract/execution.ts";
import { Button, CloseButton, Group, Skeleton, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { Fault } from "../../components/fault.tsx";
import { LogLine } from "./log-line.tsx";
import classes from "./log-view.module.css";
import { type LogScope, logQuery } from "./queries.ts";

interface LogViewProps extends LogScope {
  executionId: string;
  /** Whether more may come. */
  live: boolean;
  /** Says of what the log is, and stands before the rest. */
  scope?: ReactNode;
}

/** What steps logged: searched as one types, and followed while more comes. */
export function LogView({ executionId, live, scope, ...of }: LogViewProps) {
  const log = useInfiniteQuery(logQuery(executionId, of));
  const [text, setText] = useState("");
  const [followed, setFollow] = useState(live);
  const follow = followed && live;
  const lines = useMemo(() => log.data?.pages.flatMap((page) => page.lines) ?? [], [log.data]);
  const shown = useMemo(() => matching(lines, text), [lines, text]);
  const total = log.data?.pages.at(-1)?.total ?? 0;
  const { hasNextPage, fetchNextPage, isFetchingNextPage } = log;
  // Whoever follows is shown the end of it.
  useEffect(() => {
    if (follow && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [follow, hasNextPage, isFetchingNextPage, fetchNextPage]);

  if (log.error && !log.data) return <Fault error={log.error} onRetry={() => void log.refetch()} />;
  if (!log.data) {
    return (
      <Stack gap="xs" p="md" aria-busy="true">
        <Skeleton height={12} width="70%" />
        <Skeleton height={12} width="50%" />
      </Stack>
    );
  }
  if (total === 0) {
    return (
      <>
        {scope && (
          <Group px="sm" py={8} className={classes.bar}>
            {scope}
          </Group>
        )}
        <Text size="sm" c="dimmed" p="md">
          {live ? "Nothing is logged yet. Lines show once a try of a step is over." : "Nothing was logged."}
        </Text>
      </>
    );
  }
  return (
    <>
      <Group gap="sm" px="sm" py={8} className={classes.bar}>
        {scope}
        <TextInput
          size="xs"
          type="search"
          aria-label="Search the log"
          placeholder="Search the log"
          leftSection={<IconSearch size={14} />}
          rightSection={
            text && <CloseButton size="xs" aria-label="Clear the search" onClick={() => setText("")} />
          }
          className={classes.search}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Text size="xs" c="dimmed">
          {text
            ? `${shown.length.toLocaleString()} of ${lines.length.toLocaleString()}`
            : total.toLocaleString()}{" "}
          {total === 1 ? "line" : "lines"}
        </Text>
        {live && (
          <Switch
            size="xs"
            label="Follow"
            checked={followed}
            onChange={({ currentTarget }) => setFollow(currentTarget.checked)}
          />
        )}
      </Group>
      <Lines lines={shown} text={text} follow={follow && text === ""} withStep={of.step === undefined} />
      {hasNextPage && (
        <Button
          m="sm"
          size="compact-sm"
          variant="subtle"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {(total - lines.length).toLocaleString()} more
        </Button>
      )}
    </>
  );
}

function matching(lines: StepLogLine[], text: string): StepLogLine[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return lines;
  return lines.filter(({ message, level }) => message.toLowerCase().includes(wanted) || level === wanted);
}

function Lines({
  lines,
  text,
  follow,
  withStep,
}: {
  lines: StepLogLine[];
  text: string;
  follow: boolean;
  withStep: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => 22,
    overscan: 20,
  });
  const last = lines.length - 1;
  useEffect(() => {
    if (follow && last >= 0) virtual.scrollToIndex(last, { align: "end" });
  }, [follow, last, virtual]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable by keyboard
    <div ref={box} className={classes.lines} role="log" aria-label="Log" aria-live="off" tabIndex={0}>
      <div style={{ height: virtual.getTotalSize(), position: "relative" }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => (
          <div
            key={key}
            ref={virtual.measureElement}
            data-index={index}
            className={classes.place}
            style={{ transform: `translateY(${start}px)` }}
          >
            <LogLine
              line={lines[index]!}
              before={lines[index - 1]}
              wanted={text.trim()}
              withStep={withStep}
            />
          </div>
        ))}
      </div>
    </div>
  );
}
