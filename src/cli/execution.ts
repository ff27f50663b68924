import type { Command } from "commander";
import type { JobExecution } from "../contract/execution.ts";
import { addExecutionList } from "./execution-list.ts";
import { CliError, exitCodes } from "./exit.ts";
import { findJob } from "./find-job.ts";
import { openSession, type Session } from "./session.ts";
import { outcome, shorten } from "./start.ts";
import { duration, fields, localTime, oneLine, safe, status, table } from "./text.ts";
import { exitOf, watchToEnd } from "./watch.ts";

interface Which {
  last?: string;
}

export function addExecution(program: Command): void {
  const group = program.command("execution").description("see what runs and what ran");
  const idOrLast = "id of an execution; left out with --last";

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
    .action(async (id: string | undefined, options: Which & { step?: string }, command: Command) => {
      const session = openSession(command);
      const execution = await which(session, id, options);
      const lines = await allLogs(session, execution.id, options.step);
      session.result(lines, () =>
        lines.length === 0
          ? "Nothing was logged."
          : lines
              .map((line) =>
                [localTime(line.at), line.level.padEnd(5), safe(line.stepKey), safe(line.message)].join("  "),
              )
              .join("\n"),
      );
    });
}

async function which({ client }: Session, id: string | undefined, { last }: Which): Promise<JobExecution> {
  if ((id === undefined) === (last === undefined)) {
    throw new CliError("usage", "Name an execution by its id, or a job with --last; one of the two.");
  }
  if (id !== undefined) return (await client.getExecution({ params: { id } })).data;
  const { id: jobId } = await findJob(client, last!);
  return (await client.getLastExecution({ params: { jobId } })).data;
}

async function allLogs({ client }: Session, id: string, step: string | undefined) {
  const all: Awaited<ReturnType<typeof client.getExecutionLogs>>["data"] = [];
  for (let page = 0; ; page++) {
    const query = { page, size: 1000, ...(step === undefined ? {} : { step }) };
    const { data, meta } = await client.getExecutionLogs({ params: { id }, query });
    all.push(...data);
    if (data.length === 0 || all.length >= meta.totalElements) return all;
  }
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
  if (execution.error) head.push(["Error", oneLine(execution.error.message, 1000)]);
  const steps = table(
    ["STEP", "STATUS", "TOOK", "ATTEMPTS", "OUTPUT OR ERROR"],
    execution.stepExecutions.map((step) => [
      safe(step.stepKey),
      status(step.status),
      duration(step.durationMs),
      String(step.attempts),
      oneLine(step.error?.message ?? (step.output === null ? "" : JSON.stringify(step.output)), 80),
    ]),
  );
  return `${fields(head)}\n\n${steps}`;
}
