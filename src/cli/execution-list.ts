import { type Command, InvalidArgumentError, Option } from "commander";
import { executionStatuses } from "../contract/execution.ts";
import type { FilterRequest } from "../contract/search.ts";
import { count } from "./ask.ts";
import { moment, where } from "./filters.ts";
import { findJob } from "./find-job.ts";
import { openSession, type Session } from "./session.ts";
import { duration, localTime, oneLine, safe, status, table } from "./text.ts";

interface Options {
  status?: string[];
  since?: string;
  until?: string;
  job?: string;
  triggeredBy?: string;
  startedBy?: string;
  error?: string;
  limit: string;
}

export function addExecutionList(group: Command): void {
  group
    .command("list")
    .argument("[job]", "name or id; all jobs when left out")
    .description("list executions, newest first")
    .addOption(
      new Option("--status <status...>", "only those of this status").argParser(
        (value: string, before: string[] = []) => [...before, oneOf(value.toUpperCase())],
      ),
    )
    .option("--since <when>", "started at or after: 30m, 1h, 7d ago, or 2026-11-21T09:30Z")
    .option("--until <when>", "started at or before")
    .option("--job <job>", "the same as the argument")
    .option("--triggered-by <how>", "only those triggered so: api, schedule, webhook, manual …")
    .option("--started-by <who>", "only those that this principal started")
    .option("--error <text>", "only those with this in their error")
    .option("--limit <count>", "at most so many", "20")
    .addHelpText(
      "after",
      `
Examples:
  $ pawl execution list earthquakes
  $ pawl execution list --status FAILED --since 1h
  $ pawl execution list --status FAILED STOPPED --since 7d --error timeout --json`,
    )
    .action(async (argument: string | undefined, options: Options, command: Command) => {
      const session = openSession(command);
      const size = count(options.limit, "--limit");
      const filters = await filtersOf(session, argument ?? options.job, options);
      const { data, meta } = await session.client.searchExecutions({ body: { size, filters } });
      session.result(data, () =>
        data.length === 0
          ? Object.keys(filters).some((field) => field !== "jobId")
            ? "None is like that."
            : argument === undefined
              ? "Nothing has run yet."
              : "It has not run yet."
          : table(
              ["ID", "STATUS", "JOB", "STARTED", "TOOK", "TRIGGERED BY", "ERROR"],
              data.map((item) => [
                item.id,
                status(item.status),
                oneLine(item.jobName, 40),
                localTime(item.startTime),
                duration(item.durationMs),
                safe(item.triggeredBy),
                oneLine(item.error?.message ?? "", 60),
              ]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`The newest ${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}

async function filtersOf({ client }: Session, job: string | undefined, options: Options) {
  const filters: NonNullable<FilterRequest["filters"]> = where({
    jobId: job === undefined ? undefined : (await findJob(client, job)).id,
    status: options.status,
    triggeredBy: options.triggeredBy,
    startedBy: options.startedBy,
  });
  const bounds = [
    ...(options.since === undefined
      ? []
      : [{ matchMode: "gte" as const, value: moment(options.since, "--since") }]),
    ...(options.until === undefined
      ? []
      : [{ matchMode: "lte" as const, value: moment(options.until, "--until") }]),
  ];
  if (bounds.length > 0) filters.startTime = { operator: "and", constraints: bounds };
  if (options.error !== undefined) {
    filters.error = { operator: "and", constraints: [{ matchMode: "contains", value: options.error }] };
  }
  return filters;
}

function oneOf(name: string): string {
  if ((executionStatuses as readonly string[]).includes(name)) return name;
  throw new InvalidArgumentError(`It is one of ${executionStatuses.join(", ")}.`);
}
