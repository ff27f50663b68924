import type { Client } from "../client/client.ts";
import { ClientError } from "../client/error.ts";
import type { JobExecution } from "../contract/execution.ts";
import { changesOf } from "./changes.ts";
import { CliError, type Exit } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { type ProgressView, progressView } from "./progress.ts";
import type { Session } from "./session.ts";

/** How long a server that does not answer is waited for: a restart of Pawl takes the execution up again. */
const patienceMs = 60_000;

const ends: Partial<Record<JobExecution["status"], Exit>> = {
  COMPLETED: "ok",
  FAILED: "failed",
  STOPPED: "stopped",
};

/** Which exit code an ended execution means. */
export function exitOf(execution: JobExecution): Exit {
  return ends[execution.status] ?? "failed";
}

/** Shows an execution until it has ended. Ctrl-C stops the watching, not the execution. */
export async function watchToEnd(session: Session, id: string): Promise<JobExecution> {
  const view = session.json ? silent : progressView(process.stdout);
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort();
  process.once("SIGINT", onInterrupt);
  try {
    return await follow(session.client, id, view, interrupt.signal);
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    throw new CliError("detached", `No longer watching; execution ${id} goes on.`, {
      hint: `Watch it again: ${pawl} execution watch ${id}`,
    });
  } finally {
    process.off("SIGINT", onInterrupt);
    view.close();
  }
}

const silent: ProgressView = { show() {}, say() {}, close() {} };

/** Reads the execution at every change, and shows each state, until it has ended. */
export async function follow(
  client: Client,
  id: string,
  view: ProgressView,
  signal: AbortSignal,
): Promise<JobExecution> {
  const changes = changesOf(client, id, signal);
  try {
    return await readAtChanges(client, id, view, signal, changes.next);
  } finally {
    changes.close();
  }
}

async function readAtChanges(
  client: Client,
  id: string,
  view: ProgressView,
  signal: AbortSignal,
  next: (pollMs: number) => Promise<void>,
): Promise<JobExecution> {
  let silentSince: number | undefined;
  // Polled, it is looked at quickly at first.
  for (let pause = 50; ; pause = Math.min(pause * 1.3, 1000)) {
    try {
      const { data } = await client.getExecution({ params: { id }, signal });
      silentSince = undefined;
      view.show(data);
      if (data.status in ends) return data;
    } catch (error) {
      if (signal.aborted || !isPassing(error)) throw error;
      silentSince ??= Date.now();
      if (Date.now() - silentSince > patienceMs) throw error;
      view.say(`${(error as Error).message} Still trying.`);
      pause = 1000;
    }
    await next(pause);
  }
}

function isPassing(error: unknown): boolean {
  return (
    error instanceof ClientError && ["UNREACHABLE", "STORE_UNAVAILABLE", "OVERLOADED"].includes(error.code)
  );
}
