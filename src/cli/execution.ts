import type { Command } from "commander";
import type { JobExecution, StepExecution } from "../contract/execution.ts";
import { count } from "./ask.ts";
import { addExecutionList } from "./execution-list.ts";
import { CliError, exitCodes } from "./exit.ts";
import { allLogs, followLogs, logLine } from "./logs.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { outcome, shorten } from "./start.ts";
import { duration, fields, localTime, oneLine, safe, status, table } from "./text.ts";
import { exitOf, watchToEnd } from "./watch.ts";
import { idOrLast, type Which, which } from "./which.ts";

export function addExecution(program: Command): void {
  const group = program.command("execution").description("see what runs and what ran");

  addExecutionList(group);

  group
    .command("show")
    .argument("[id]", idOrLast)
    .description("show an execution and its steps")
    .option("--last <job>", "the most recent execution of this job")
    .option("--step <key>", "only this step's output")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl execution show --last earthquakes
  $ pawl execution show --last earthquakes --step report`,
    )
    .action(async (id: string | undefined, options: Which & { step?: string }, command: Command) => {
      const session = openSession(command);
      const execution = await which(session, id, options);
      if (options.step === undefined) return session.result(execution, () => describe(execution));
      const step = execution.stepExecutions.find((one) => one.stepKey === options.step);
      if (!step) {
        const keys = execution.stepExecutions.map((one) => one.stepKey).join(", ");
        throw new CliError("usage", `The execution has no step "${options.step}"; it has: ${keys}.`);
      }
      session.result(step.output, () => shorten(step.output, Number.POSITIVE_INFINITY));
    });

  group
    .command("watch")
    .argument("[id]", idOrLast)
    .description("watch an execution to its end and exit by its outcome")
    .option("--last <job>", "the most recent execution of this job")
    .action(async (id: string | undefined, options: Which, command: Command) => {
      const session = openSession(command);
      const ended = await watchToEnd(session, (await which(session, id, options)).id);
      session.result(ended, () => outcome(ended));
      process.exitCode = exitCodes[exitOf(ended)].code;
    });

  group
    .command("logs")
    .argument("[id]", idOrLast)
    .description("print what the steps logged")
    .option("--last <job>", "the most recent execution of this job")
    .option("--step <key>", "only this step's lines")
    .option("--run <number>", "of this attempt; the latest when left out")
    .option("-f, --follow", "print what is logged until the execution has ended")
    .addHelpText(
      "after",
      `
Examples:
  $ ${pawl} execution logs --last earthquakes --follow
  $ ${pawl} execution logs <id> --step report --run 1`,
    )
    .action(async (id: string | undefined, options: LogOptions, command: Command) => {
      const session = openSession(command);
      const execution = await which(session, id, options);
      if (options.follow) return followLogs(session, execution.id, options.step);
      const run = options.run === undefined ? undefined : count(options.run, "--run");
      const lines = await allLogs(session, execution.id, { step: options.step, run });
      session.result(lines, () =>
        lines.length === 0 ? "Nothing was logged." : lines.map(logLine).join("\n"),
      );
    });
}

interface LogOptions extends Which {
  step?: string;
  run?: string;
  follow?: boolean;
}

function describe(execution: JobExecution): string {
  const head: [string, string][] = [
    ["Execution", execution.id],
    ["Job", `${safe(execution.jobName)}, version ${execution.jobVersion}`],
    ["Status", status(execution.status)],
    [
      "Started",
      `${localTime(execution.startTime)} by ${safe(execution.startedBy)} (${safe(execution.triggeredBy)})`,
    ],
    ["Took", duration(execution.durationMs)],
  ];
  if (Object.keys(execution.parameters).length > 0) {
    head.push(["Parameters", oneLine(JSON.stringify(execution.parameters), 300)]);
  }
  if (execution.pausedMs > 0) head.push(["Paused", duration(execution.pausedMs)]);
  if (execution.resumeAt) head.push(["Resumes", localTime(execution.resumeAt)]);
  if (execution.draining) head.push(["Draining", "the step under way finishes"]);
  const { waiting } = execution;
  if (waiting && waiting.reason !== "decision") {
    const until = waiting.until ? `, until ${localTime(waiting.until)} at most` : "";
    head.push(["Waiting", `${oneLine(waiting.message, 300)}${until}`]);
  }
  if (execution.waitingFor) head.push(["Waits for", oneLine(execution.waitingFor.message, 300)]);
  if (execution.error) head.push(["Error", oneLine(execution.error.message, 1000)]);
  const steps = table(
    ["STEP", "STATUS", "TOOK", "ATTEMPTS", "OUTPUT OR ERROR"],
    execution.stepExecutions.map((step) => [
      safe(step.stepKey),
      status(step.status),
      duration(step.durationMs),
      String(step.attempts),
      outcomeOf(step),
    ]),
  );
  return [fields(head), steps, ...history(execution)].join("\n\n");
}

function outcomeOf({ error, output, childExecutionId }: StepExecution): string {
  if (error) return oneLine(error.message, 80);
  if (output !== null) return oneLine(JSON.stringify(output), 80);
  return childExecutionId === null ? "" : `runs execution ${childExecutionId}`;
}

/** What was done to it, and the attempts before this one. */
function history({ actions, attempts }: JobExecution): string[] {
  const parts: string[] = [];
  if (actions.length > 0) {
    const rows = actions.map(({ at, action, actor, toStatus, reason }) => [
      localTime(at),
      action,
      status(toStatus),
      safe(actor),
      oneLine(reason ?? "", 80),
    ]);
    parts.push(table(["AT", "ACTION", "STATUS", "BY", "REASON"], rows));
  }
  if (attempts.length > 1) {
    const rows = attempts.map((attempt) => [
      String(attempt.run),
      String(attempt.jobVersion),
      status(attempt.status),
      localTime(attempt.startTime),
      duration(attempt.activeDurationMs),
      safe(attempt.fromStep?.key ?? ""),
      oneLine(attempt.error?.message ?? "", 80),
    ]);
    parts.push(table(["ATTEMPT", "VERSION", "STATUS", "STARTED", "ACTIVE", "FROM STEP", "ERROR"], rows));
  }
  return parts;
}
