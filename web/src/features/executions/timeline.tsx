import type { JobExecution, StepExecution } from "@contract/execution.ts";
import { VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useMemo, useRef } from "react";
import { useNow } from "../../components/clock.ts";
import { looks } from "../../components/status.ts";
import { formatDuration } from "../../components/time-format.ts";
import { StepIcon } from "../jobs/step-icon.tsx";
import classes from "./timeline.module.css";
import { pausesOf, type Span, spansOf, ticksOf } from "./timeline-spans.ts";

interface Scale {
  from: number;
  length: number;
}

/** The steps of an execution one below the other, each with when it worked and when it waited. */
export function Timeline({ execution, selected }: { execution: JobExecution; selected: string | undefined }) {
  const phone = useMediaQuery("(max-width: 40em)", undefined, { getInitialValueInEffect: false }) ?? false;
  const { stepExecutions: steps, run, actions } = execution;
  const attempt = execution.attempts.find((one) => one.run === run);
  const over = attempt?.endTime !== null && attempt !== undefined;
  const now = useNow(!over);
  const from = Date.parse(attempt?.startTime ?? execution.startTime);
  const end = attempt?.endTime ? Date.parse(attempt.endTime) : now;
  const scale = useMemo(() => ({ from, length: Math.max(1, end - from) }), [from, end]);
  const ticks = ticksOf(scale.length);
  const shareOf = (at: number) => `${(at / scale.length) * 100}%`;
  const pauses = pausesOf(actions, run, end);

  const box = useRef<HTMLDivElement>(null);
  const height = phone ? 56 : 38;
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    overscan: 12,
    getItemKey: (index) => `${phone} ${index}`,
  });
  useShown(virtual.scrollToIndex, steps, selected);
  const onKeyDown = useArrows(steps, selected, virtual.scrollToIndex, box);

  return (
    <div className={classes.frame}>
      <div className={classes.axis} aria-hidden>
        <div className={classes.ticks}>
          {ticks.map((at) => (
            <span key={at} style={{ left: shareOf(at) }}>
              {at === 0 ? "0" : formatDuration(at)}
            </span>
          ))}
        </div>
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrows go from link to link inside */}
      <div ref={box} className={classes.scroll} onKeyDown={onKeyDown}>
        <div className={classes.over} style={{ height: virtual.getTotalSize() }} aria-hidden>
          <div>
            {ticks.map((at) => (
              <span key={at} className={classes.line} style={{ left: shareOf(at) }} />
            ))}
          </div>
        </div>
        <ol className={classes.rows} style={{ height: virtual.getTotalSize() }} aria-label="Steps">
          {virtual.getVirtualItems().map(({ index, start }) => {
            const step = steps[index]!;
            const moving = step.endTime === null && step.startTime !== null;
            return (
              <Row
                key={step.id}
                step={step}
                top={start}
                height={height}
                place={index + 1}
                of={steps.length}
                scale={scale}
                kept={step.run < run && step.startTime !== null}
                selected={step.stepKey === selected}
                now={moving ? now : 0}
              />
            );
          })}
        </ol>
        {pauses.length > 0 && (
          <div className={classes.over} style={{ height: virtual.getTotalSize() }} aria-hidden>
            <div>
              {pauses.map((pause) => (
                <span
                  key={pause.from}
                  className={classes.pause}
                  style={place(pause, scale)}
                  title={titleOf("Paused", pause)}
                />
              ))}
            </div>
          </div>
        )}
      </div>
    </div>
  );
}

interface RowProps {
  step: StepExecution;
  top: number;
  height: number;
  place: number;
  of: number;
  scale: Scale;
  /** The result is from an earlier attempt. */
  kept: boolean;
  selected: boolean;
  now: number;
}

const Row = memo(function Row({ step, top, height, place: at, of, scale, kept, selected, now }: RowProps) {
  const { label, tone, icon: Icon, moving } = looks[step.status];
  const spans = kept ? [] : spansOf(step, now);
  const took =
    step.durationMs ?? (step.startTime && now > 0 ? Math.max(0, now - Date.parse(step.startTime)) : null);
  return (
    <li
      className={classes.row}
      style={{ transform: `translateY(${top}px)`, height }}
      aria-posinset={at}
      aria-setsize={of}
      data-selected={selected || undefined}
    >
      <Link
        className={classes.link}
        to="."
        search={(before) => ({ ...before, step: step.stepKey, view: undefined, try: undefined })}
        replace
        resetScroll={false}
        aria-current={selected || undefined}
        data-step={step.stepKey}
      >
        <span className={classes.name}>
          <span className={classes.status} style={{ color: `var(--st-${tone})` }} title={label} aria-hidden>
            <span className={moving ? classes.moving : undefined}>
              <Icon size={16} stroke={2.1} />
            </span>
          </span>
          <span className={classes.type} aria-hidden title={step.type}>
            <StepIcon type={step.type} size={15} />
          </span>
          <span className={classes.text} dir="auto">
            {step.stepName}
          </span>
          <VisuallyHidden>{label}</VisuallyHidden>
          {step.attempts > 1 && <span className={classes.tries}>{step.attempts}×</span>}
        </span>
        <span className={classes.track} style={{ "--tone": `var(--st-${tone}-solid)` } as CSSProperties}>
          {spans.map((span) => (
            <span
              key={`${span.kind} ${span.from}`}
              className={classes.span}
              data-kind={span.kind}
              style={place(span, scale)}
              title={titleOf(words[span.kind], span)}
            />
          ))}
          {kept && <span className={classes.kept}>kept from attempt {step.run}</span>}
        </span>
        <span className={classes.took}>
          {took === null
            ? ""
            : formatDuration(step.durationMs === null ? Math.floor(took / 1000) * 1000 : took)}
        </span>
      </Link>
    </li>
  );
});

const words: Record<Span["kind"], string> = { work: "Worked", failed: "A try that failed", wait: "Waited" };

function titleOf(word: string, { from, to }: { from: number; to: number }): string {
  return `${word}: ${formatDuration(to - from)}`;
}

function place({ from, to }: { from: number; to: number }, scale: Scale): CSSProperties {
  const share = (at: number) => Math.min(100, Math.max(0, ((at - scale.from) / scale.length) * 100));
  return { left: `${share(from)}%`, width: `${share(to) - share(from)}%` };
}

/** Scrolls to the step that the address names, once: whoever opens a link looks for it. */
function useShown(
  scrollTo: (index: number) => void,
  steps: StepExecution[],
  selected: string | undefined,
): void {
  const first = useRef(true);
  useEffect(() => {
    if (!first.current) return;
    first.current = false;
    const index = steps.findIndex(({ stepKey }) => stepKey === selected);
    if (index > 0) scrollTo(index);
  }, [scrollTo, steps, selected]);
}

/** Up and down go from step to step. */
function useArrows(
  steps: StepExecution[],
  selected: string | undefined,
  scrollTo: (index: number) => void,
  box: React.RefObject<HTMLDivElement | null>,
) {
  const navigate = useNavigate();
  return (event: KeyboardEvent) => {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (by === 0 || event.altKey || event.metaKey || event.ctrlKey) return;
    const at = (event.target as HTMLElement).closest<HTMLElement>("[data-step]")?.dataset.step ?? selected;
    const next = steps[steps.findIndex(({ stepKey }) => stepKey === at) + by];
    if (!next) return;
    event.preventDefault();
    scrollTo(steps.indexOf(next));
    void navigate({
      to: ".",
      search: (before) => ({ ...before, step: next.stepKey, view: undefined, try: undefined }),
      replace: true,
      resetScroll: false,
    });
    // Once the row is there: it may have been out of sight.
    requestAnimationFrame(() =>
      requestAnimationFrame(() =>
        box.current
          ?.querySelector<HTMLElement>(`[data-step="${CSS.escape(next.stepKey)}"]`)
          ?.focus({ preventScroll: true }),
      ),
    );
  };
}
