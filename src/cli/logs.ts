import type { StepLogLine } from "../contract/execution.ts";
import { changesOf } from "./changes.ts";
import { CliError } from "./exit.ts";
import type { Session } from "./session.ts";
import { localTime, safe } from "./text.ts";

const pageSize = 1000;

/** All that the steps of one attempt logged, or one step. `after`: how many lines of it are known already. */
export async function allLogs(
  { client }: Session,
  id: string,
  { step, run, after = 0 }: { step?: string | undefined; run?: number | undefined; after?: number },
): Promise<StepLogLine[]> {
  const all: StepLogLine[] = [];
  for (let page = Math.floor(after / pageSize); ; page++) {
    const query = {
      page,
      size: pageSize,
      ...(step === undefined ? {} : { step }),
      ...(run === undefined ? {} : { run }),
    };
    const { data, meta } = await client.getExecutionLogs({ params: { id }, query });
    all.push(...data.slice(Math.max(0, after - page * pageSize)));
    if (data.length === 0 || after + all.length >= meta.totalElements) return all;
  }
}

export function logLine(line: StepLogLine): string {
  return [localTime(line.at), line.level.padEnd(5), safe(line.stepKey), safe(line.message)].join("  ");
}

/** Prints lines as they come, until the execution has ended; with --json one object a line. */
export async function followLogs(session: Session, id: string, step: string | undefined): Promise<void> {
  const interrupt = new AbortController();
  const onInterrupt = () => interrupt.abort(new CliError("detached", `The execution ${id} goes on.`));
  process.once("SIGINT", onInterrupt);
  const changes = changesOf(session.client, id, interrupt.signal);
  let run: number | undefined;
  let after = 0;
  try {
    for (;;) {
      // Read before the lines: what an execution that has ended logged is all there.
      const { data: execution } = await session.client.getExecution({ params: { id } });
      if (execution.run !== run) after = 0;
      run = execution.run;
      const lines = await allLogs(session, id, { step, run, after });
      for (const line of lines) console.log(session.json ? JSON.stringify(line) : logLine(line));
      after += lines.length;
      if (execution.endTime !== null) return;
      await changes.next(1000);
    }
  } finally {
    process.off("SIGINT", onInterrupt);
    changes.close();
  }
}
