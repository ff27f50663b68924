import type { Command } from "commander";
import type { JobExecution } from "../contract/execution.ts";
import { exitCodes } from "./exit.ts";
import { findJob } from "./find-job.ts";
import { pawl } from "./own-name.ts";
import { readParameters } from "./params.ts";
import { openSession } from "./session.ts";
import { duration, paint, safe, status } from "./text.ts";
import { collect } from "./token.ts";
import { exitOf, watchToEnd } from "./watch.ts";

interface StartOptions {
  wait?: boolean;
  param?: string[];
  paramsFile?: string;
  idempotencyKey?: string;
}

export function addStart(program: Command): void {
  program
    .command("start")
    .argument("<job>", "name or id")
    .description("start a job")
    .option("-w, --wait", "watch it step by step and exit by its outcome")
    .option("-p, --param <name=value>", "a parameter; repeat for more", collect)
    .option("--params-file <file>", "parameters from a JSON or YAML file; - reads standard input")
    .option("--idempotency-key <key>", "the same key within 24 hours starts the job only once")
    .addHelpText(
      "after",
      `
A value is JSON where it parses, and text otherwise or where the job's schema wants text. a.b=1 sets a field of an
object, the same name twice makes a list. --param wins over the file.

Examples:
  $ pawl start earthquakes --wait
  $ pawl start earthquakes --wait --param minMagnitude=4.5
  $ pawl start report -p day=2026-01-31 -p filter.region=EU -p to=ana@example.com -p to=bo@example.com
  $ pawl start nightly --idempotency-key "nightly-$(date +%F)" --json | jq -r .executionId

With --wait the exit code is 0 when it COMPLETED, 1 when it FAILED, 3 when it was STOPPED. Ctrl-C stops the watching,
not the execution.`,
    )
    .action(async (nameOrId: string, options: StartOptions, command: Command) => {
      const session = openSession(command);
      const job = await findJob(session.client, nameOrId);
      const parameters = readParameters(options.param ?? [], options.paramsFile, job.parameters);
      const { data: started } = await session.client.startJob({
        body: { jobId: job.id, parameters, triggeredBy: "manual", triggerSource: "cli" },
        headers: options.idempotencyKey === undefined ? {} : { "idempotency-key": options.idempotencyKey },
      });
      if (!options.wait) {
        session.result(started, () => `Started ${safe(job.name)}: ${started.executionId}`);
        if (!session.json) session.note(`Watch it: ${pawl} execution watch ${started.executionId}`);
        return;
      }
      const ended = await watchToEnd(session, started.executionId);
      session.result(ended, () => outcome(ended));
      process.exitCode = exitCodes[exitOf(ended)].code;
    });
}

/** How an execution ended, what it gave, and where to read more. */
export function outcome(execution: JobExecution): string {
  const lines = [
    `${status(execution.status)} in ${duration(execution.durationMs)}  ${paint("dim", execution.id)}`,
  ];
  if (execution.error) {
    const { stepKey, message } = execution.error;
    lines.push(`${stepKey ? `Step ${safe(stepKey)}: ` : ""}${safe(message)}`);
    lines.push(paint("dim", `More: ${pawl} execution show ${execution.id}`));
  } else {
    const last = execution.stepExecutions.findLast(
      (step) => step.status === "COMPLETED" && step.output !== null,
    );
    if (last) lines.push("", shorten(last.output), paint("dim", `(output of ${last.stepKey})`));
  }
  return lines.join("\n");
}

/** An output for a person: text as it is, anything else as JSON, cut where it would fill the terminal. */
export function shorten(output: unknown, most = 40): string {
  const text = safe(typeof output === "string" ? output.trimEnd() : JSON.stringify(output, null, 2));
  const lines = text.split("\n");
  const kept = lines.slice(0, most).map((line) => (line.length > 400 ? `${line.slice(0, 399)}…` : line));
  if (lines.length > most)
    kept.push(paint("dim", `… ${lines.length - most} more lines: --json has them all`));
  return kept.join("\n");
}
