import { type Command, Option } from "commander";
import type { FilterRequest } from "../contract/search.ts";
import { count } from "./ask.ts";
import { CliError, exitCodes } from "./exit.ts";
import { moment, where } from "./filters.ts";
import { pawl } from "./own-name.ts";
import { openSession } from "./session.ts";
import { localTime, oneLine, paint, safe, table } from "./text.ts";

interface ListOptions {
  by?: string;
  action?: string;
  type?: string;
  target?: string;
  outcome?: string;
  since?: string;
  until?: string;
  limit: string;
}

export function addAudit(program: Command): void {
  const group = program.command("audit").description("see who did what, and whether that record is intact");
  addList(group);
  addVerify(group);
}

function addList(group: Command): void {
  group
    .command("list")
    .argument("[text...]", "words in the name of the record, the action or who did it")
    .description("list who did what, the newest first")
    .option("--by <name>", "only what this principal did")
    .option("--action <action>", "only this operation: upsertConnection, deleteJob …")
    .option("--type <type>", "only what was done to this: connection, job, principal, execution …")
    .option("--target <id>", "only what was done to the record of this id")
    .addOption(
      new Option("--outcome <outcome>", "only what ended so").choices(["success", "forbidden", "failed"]),
    )
    .option("--since <when>", "at or after: 30m, 1h, 7d ago, or 2026-11-21T09:30Z")
    .option("--until <when>", "at or before")
    .option("--limit <count>", "at most so many", "20")
    .addHelpText(
      "after",
      `
Starts of jobs are not in it: the execution keeps who started it (\`${pawl} execution list --started-by NAME\`).

Examples:
  $ ${pawl} audit list --since 1d
  $ ${pawl} audit list --outcome forbidden --by ada
  $ ${pawl} audit list --type connection orders --json`,
    )
    .action(async (words: string[], options: ListOptions, command: Command) => {
      const session = openSession(command);
      const { data, meta } = await session.client.searchAudit({
        body: {
          ...(words.length > 0 ? { searchText: words.join(" ") } : {}),
          size: count(options.limit, "--limit"),
          sortBy: "seq",
          filters: filtersOf(options),
        },
      });
      session.result(data, () =>
        data.length === 0
          ? "No line is like that."
          : table(
              ["WHEN", "WHO", "ACTION", "ON", "CHANGED", "OUTCOME", "FROM"],
              data.map((line) => [
                localTime(line.at),
                oneLine(line.principal, 30),
                safe(line.action),
                oneLine([line.targetType, line.targetName ?? line.targetId ?? ""].join(" "), 60),
                oneLine(line.changed.join(", "), 40),
                line.outcome === "success" ? line.outcome : paint("red", line.outcome),
                safe(line.ip ?? "–"),
              ]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`The newest ${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });
}

function filtersOf(options: ListOptions): NonNullable<FilterRequest["filters"]> {
  const filters = where({
    principal: options.by,
    action: options.action,
    targetType: options.type,
    targetId: options.target,
    outcome: options.outcome,
  });
  const constraints = [
    ...(options.since ? [{ matchMode: "gte" as const, value: moment(options.since, "--since") }] : []),
    ...(options.until ? [{ matchMode: "lte" as const, value: moment(options.until, "--until") }] : []),
  ];
  return constraints.length > 0 ? { ...filters, at: { operator: "and", constraints } } : filters;
}

function addVerify(group: Command): void {
  group
    .command("verify")
    .description("read the whole record, and tell whether a line was altered, put in or taken out")
    .option("--expect <head>", "the head that an earlier verification told: it must be there still")
    .addHelpText(
      "after",
      `
Ends with ${exitCodes.failed.code} when the record is not intact. Who can set the whole database back to an earlier state leaves a record that
is intact and too short: note the head elsewhere, and pass it here the next time. Pawl's log has it too, once an hour.

Examples:
  $ ${pawl} audit verify
  $ ${pawl} audit verify --expect 1042:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08`,
    )
    .action(async ({ expect }: { expect?: string }, command: Command) => {
      const session = openSession(command);
      const expected = expect === undefined ? undefined : headOf(expect);
      const { data, message } = await session.client.verifyAudit({ body: expected ? { expected } : {} });
      session.result(data, () =>
        [
          data.intact ? paint("green", message) : paint("red", message),
          ...data.faults.map(({ seq, message }) => `  line ${seq}: ${safe(message)}`),
          ...(data.more > 0 ? [`  and ${data.more} more`] : []),
          `Head: ${data.head.seq}:${data.head.hash}`,
        ].join("\n"),
      );
      if (!data.intact) process.exitCode = exitCodes.failed.code;
    });
}

function headOf(text: string): { seq: number; hash: string } {
  const [, seq, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === undefined) {
    throw new CliError("usage", `--expect takes a head as \`${pawl} audit verify\` tells it, not "${text}".`);
  }
  return { seq: Number(seq), hash };
}
