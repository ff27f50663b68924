import { availableParallelism } from "node:os";
import { StepError } from "../../lib/step-error.ts";
import type { LogLevel } from "../plugin.ts";
import { type SandboxProcess, setHolding, startSandboxProcess } from "./process.ts";
import type { SandboxOutcome, SandboxReply, SandboxTask } from "./protocol.ts";

export interface SandboxRun {
  /** Counted from when a process takes the task up; at its end the process is killed. */
  timeLimitMs: number;
  /** Left after the limit for code that watches its own time and says more about it. */
  graceMs?: number;
  /** Kills the process at once. */
  signal?: AbortSignal;
  onLine?(level: LogLevel, message: string): void;
}

/** Processes for code that users wrote. None is there until the first task; one then stays warm. */
export interface Sandbox {
  run(task: SandboxTask, options: SandboxRun): Promise<SandboxOutcome>;
  close(): Promise<void>;
}

interface Waiting extends SandboxRun {
  task: SandboxTask;
  settle(outcome: SandboxOutcome | Error): void;
}

interface Seat {
  process: SandboxProcess;
  ready: boolean;
  runs: number;
  current: Waiting | undefined;
  /** Why we killed it, if we did. */
  killedFor: SandboxOutcome | Error | undefined;
  timer: NodeJS.Timeout | undefined;
}

const START_LIMIT_MS = 30_000;
const IDLE_MS = 30_000;
const RUNS_PER_PROCESS = 1_000;

export function createSandbox({ max = Math.min(4, availableParallelism()) } = {}): Sandbox {
  const seats = new Set<Seat>();
  const queue: Waiting[] = [];
  let closed = false;

  function pump(): void {
    while (queue.length > 0) {
      const free = [...seats].find((seat) => seat.ready && !seat.current);
      if (free) {
        assign(free, queue.shift()!);
        continue;
      }
      const starting = [...seats].filter((seat) => !seat.ready).length;
      if (starting < queue.length && seats.size < max) start();
      return;
    }
  }

  function start(): void {
    const seat: Seat = {
      process: startSandboxProcess(),
      ready: false,
      runs: 0,
      current: undefined,
      killedFor: undefined,
      timer: undefined,
    };
    const { child } = seat.process;
    seats.add(seat);
    if (queue.length > 0) setHolding(child, true);
    seat.timer = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
    child.on("message", (reply: SandboxReply) => receive(seat, reply));
    child.on("error", () => {});
    // Not "exit": what it wrote to stderr and sent us before its end is read by then.
    child.once("close", (_code, signal) => ended(seat, signal));
    if (child.pid === undefined) ended(seat, null);
  }

  function receive(seat: Seat, reply: SandboxReply): void {
    const { current } = seat;
    if (reply.type === "line") {
      current?.onLine?.(reply.level, reply.message);
      return;
    }
    clearTimeout(seat.timer);
    if (reply.type === "ready") seat.ready = true;
    else {
      seat.current = undefined;
      current?.settle(reply.outcome);
      seat.runs++;
      if (reply.retire || seat.runs >= RUNS_PER_PROCESS) {
        leave(seat);
        return;
      }
    }
    setHolding(seat.process.child, false);
    seat.timer = setTimeout(() => seats.size > 1 && leave(seat), IDLE_MS).unref();
    pump();
  }

  function assign(seat: Seat, waiting: Waiting): void {
    clearTimeout(seat.timer);
    seat.current = waiting;
    setHolding(seat.process.child, true);
    const { timeLimitMs, graceMs = 0 } = waiting;
    seat.timer = setTimeout(() => {
      kill(seat, {
        code: "TIME_LIMIT",
        message: `it ran for more than its limit of ${timeLimitMs / 1000} s`,
      });
    }, timeLimitMs + graceMs);
    seat.process.child.send(waiting.task, (error) => error && seat.process.child.kill("SIGKILL"));
  }

  function kill(seat: Seat, why: SandboxOutcome | Error): void {
    seat.killedFor ??= why;
    seat.process.child.kill("SIGKILL");
  }

  /** Takes no more work; ends by itself once we hang up. */
  function leave(seat: Seat): void {
    seats.delete(seat);
    clearTimeout(seat.timer);
    seat.process.child.disconnect();
    setHolding(seat.process.child, false);
    pump();
  }

  function ended(seat: Seat, signal: NodeJS.Signals | null): void {
    if (!seats.delete(seat)) return;
    clearTimeout(seat.timer);
    const { current, killedFor } = seat;
    if (current) current.settle(killedFor ?? deathOf(signal, seat.process.stderr()));
    // It never came up: another would not either, and those who wait must hear of it.
    else if (!seat.ready) queue.shift()?.settle(deathOf(null, seat.process.stderr()));
    if (closed) return;
    if (seats.size === 0 && seat.ready) start();
    pump();
  }

  return {
    run(task, options) {
      const { signal } = options;
      return new Promise((resolve, reject) => {
        if (closed) return reject(unavailable("the server is shutting down"));
        if (signal?.aborted) return reject(signal.reason);
        const waiting: Waiting = {
          ...options,
          task,
          settle(outcome) {
            signal?.removeEventListener("abort", onAbort);
            if (outcome instanceof Error) reject(outcome);
            else resolve(outcome);
          },
        };
        const onAbort = () => {
          const seat = [...seats].find((seat) => seat.current === waiting);
          if (seat) kill(seat, signal!.reason);
          else queue.splice(queue.indexOf(waiting), 1);
          waiting.settle(signal!.reason);
        };
        signal?.addEventListener("abort", onAbort, { once: true });
        queue.push(waiting);
        pump();
      });
    },
    async close() {
      closed = true;
      for (const waiting of queue.splice(0)) waiting.settle(unavailable("the server is shutting down"));
      const exits = [...seats].map((seat) => {
        const { child } = seat.process;
        setHolding(child, true);
        const gone = new Promise((resolve) => child.once("close", resolve));
        kill(seat, unavailable("the server is shutting down"));
        return child.pid === undefined ? undefined : gone;
      });
      await Promise.all(exits);
    },
  };
}

function deathOf(signal: NodeJS.Signals | null, stderr: string): SandboxOutcome | Error {
  // V8 aborts when its heap is full; the kernel kills when the machine's memory is.
  if (signal === "SIGABRT" || signal === "SIGKILL" || /heap out of memory/.test(stderr)) {
    return { code: "MEMORY_LIMIT", message: "it needed more memory than a sandbox has" };
  }
  return unavailable("the process ended without an answer", stderr);
}

function unavailable(why: string, stderr?: string): StepError {
  return new StepError("SANDBOX_UNAVAILABLE", `The sandbox could not run the code: ${why}. Try again.`, {
    retryable: true,
    cause: stderr,
  });
}
