import type { WriteStream } from "node:tty";
import type { JobExecution, StepExecution } from "../contract/execution.ts";
import { duration, oneLine, pad, paint, safe, status } from "./text.ts";

/** Somewhere to show an execution as it goes. */
export interface ProgressView {
  show(execution: JobExecution): void;
  /** A remark that belongs to no step. */
  say(text: string): void;
  close(): void;
}

/** Redrawn in place on a terminal; elsewhere a line for each change. */
export function progressView(stream: NodeJS.WriteStream): ProgressView {
  return stream.isTTY ? liveView(stream) : lineView((line) => void stream.write(`${line}\n`));
}

/** One line for each step that changed, in the order of the steps. */
export function lineView(write: (line: string) => void): ProgressView {
  const shown = new Map<string, string>();
  let said = "";
  return {
    show({ stepExecutions }) {
      const width = Math.max(0, ...stepExecutions.map((step) => step.stepKey.length));
      for (const step of stepExecutions) {
        const state = `${step.status} ${step.attempts}`;
        if (step.status === "PENDING" || shown.get(step.stepKey) === state) continue;
        shown.set(step.stepKey, state);
        write(`${step.stepKey.padEnd(width)}  ${pad(status(step.status), 9)}  ${remark(step)}`.trimEnd());
      }
      said = "";
    },
    say(text) {
      if (text !== said) write(safe(text));
      said = text;
    },
    close() {},
  };
}

const spinner = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const marks: Record<string, string> = {
  COMPLETED: "✔",
  FAILED: "✖",
  SKIPPED: "–",
  STOPPED: "■",
  WAITING: "◷",
  PENDING: "○",
};

/** A block at the bottom of the terminal, drawn again ten times a second so that clocks and spinner move. */
export function liveView(stream: WriteStream): ProgressView {
  let latest: JobExecution | undefined;
  let remarkLine = "";
  let drawn = 0;
  let frame = 0;

  function draw() {
    if (!latest) return;
    const lines = block(latest, frame, (stream.rows || 24) - 3);
    if (remarkLine) lines.push(paint("yellow", remarkLine));
    const width = (stream.columns || 80) - 1;
    const up = drawn > 0 ? `\x1b[${drawn}A` : "";
    stream.write(`${up}\r\x1b[J${lines.map((line) => `${clip(line, width)}\n`).join("")}`);
    drawn = lines.length;
    frame++;
  }

  // No cursor, and no wrapping: a line that wraps would make "up" count wrong. Clipping alone misses wide characters.
  stream.write("\x1b[?25l\x1b[?7l");
  const restore = () => void stream.write("\x1b[?7h\x1b[?25h");
  process.once("exit", restore);
  const timer = setInterval(draw, 100);
  return {
    show(execution) {
      latest = execution;
      remarkLine = "";
      draw();
    },
    say(text) {
      remarkLine = safe(text);
      draw();
    },
    close() {
      clearInterval(timer);
      process.off("exit", restore);
      draw();
      restore();
    },
  };
}

/** The lines of one frame; with more steps than rows, those around the one under way. */
function block(execution: JobExecution, frame: number, rows: number): string[] {
  const steps = execution.stepExecutions;
  const width = Math.max(0, ...steps.map((step) => step.stepKey.length));
  const lines = steps.map((step) => {
    const running = step.status === "RUNNING" && execution.status === "RUNNING";
    const mark = running ? paint("cyan", spinner[frame % spinner.length]!) : markOf(step);
    return `  ${mark} ${step.stepKey.padEnd(width)}  ${remark(step, Date.now())}`;
  });
  const started = Date.parse(execution.startTime);
  const took = execution.durationMs ?? Math.max(0, Date.now() - started);
  const head = `${paint("bold", safe(execution.jobName))}  ${status(execution.status)}  ${duration(took)}`;
  return [head, ...windowed(lines, steps, rows)];
}

function markOf(step: StepExecution): string {
  const mark = marks[step.status] ?? "●";
  return status(step.status).replace(step.status, mark);
}

function windowed(lines: string[], steps: StepExecution[], rows: number): string[] {
  const room = Math.max(3, rows);
  if (lines.length <= room) return lines;
  const pending = steps.findIndex((step) => step.status === "PENDING");
  const current = pending === -1 ? lines.length : pending;
  const from = Math.max(0, Math.min(current - Math.ceil(room / 2), lines.length - room + 1));
  const shown = lines.slice(from, from + room - 1);
  return [...shown, paint("dim", `  … ${lines.length - shown.length} more steps`)];
}

/** What there is to say of a step: how long, how often, why not. */
function remark(step: StepExecution, now?: number): string {
  const parts: string[] = [];
  if (step.durationMs !== null) parts.push(duration(step.durationMs));
  else if (now !== undefined && step.startTime && step.status === "RUNNING") {
    parts.push(duration(Math.max(0, now - Date.parse(step.startTime))));
  }
  if (step.attempts > 1) parts.push(`${step.attempts} attempts`);
  if (step.status === "WAITING" && step.waitingUntil) {
    const left = Date.parse(step.waitingUntil) - Date.now();
    parts.push(
      step.error
        ? `tries again in ${duration(Math.max(0, left))}`
        : `goes on in ${duration(Math.max(0, left))}`,
    );
  }
  if (step.error) parts.push(oneLine(step.error.message, 200));
  if (step.status === "SKIPPED") parts.push("its condition was false");
  return parts.join(", ");
}

/** Cuts a line that may hold colours to `width` visible characters. */
function clip(line: string, width: number): string {
  let room = width;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour sequences take no room
  return line.replace(/\x1b\[[\d;]*m|[^\x1b]/gu, (piece) =>
    piece.startsWith("\x1b") ? piece : room-- > 0 ? piece : "",
  );
}
