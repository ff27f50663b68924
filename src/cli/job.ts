import { writeFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import type { Command } from "commander";
import type { Job } from "../contract/job.ts";
import { applyFile } from "./apply.ts";
import { CliError } from "./exit.ts";
import { findJob } from "./find-job.ts";
import { pawl } from "./own-name.ts";
import { openSession, type Session } from "./session.ts";
import { duration, fields, localTime, oneLine, paint, safe, status, table } from "./text.ts";

export function addJob(program: Command): void {
  const group = program.command("job").description("save, read, export and delete jobs");

  group
    .command("apply")
    .argument("<files...>", "YAML or JSON files; - reads standard input")
    .description("create a job from a file, or make the file its new version")
    .option("--create-only", "refuse when a job of that name is there already")
    .addHelpText(
      "after",
      `
A job is found by the name in the file. Executions that run keep the version they started with.

Examples:
  $ pawl job apply examples/earthquakes.yaml
  $ pawl job apply jobs/*.yaml
  $ pawl job export nightly | sed s/UTC/CET/ | pawl job apply -`,
    )
    .action(async (files: string[], options: { createOnly?: boolean }, command: Command) => {
      const session = openSession(command);
      const applied: Job[] = [];
      for (const file of files) {
        const { job, created } = await applyFile(
          session.client,
          file,
          options.createOnly ? "fail" : "replace",
        );
        applied.push(job);
        if (session.json) continue;
        const done = created ? "Created" : "Saved";
        console.log(
          `${done} ${paint("bold", safe(job.name))}, version ${job.version}, ${job.steps.length} steps. Run it: ${pawl} start ${quoted(job.name)} --wait`,
        );
      }
      if (session.json) console.log(JSON.stringify(applied, null, 2));
    });

  group
    .command("list")
    .description("list the jobs you may see")
    .option("--search <text>", "only those with this text in name or description")
    .option("--tag <tag>", "only those with this tag")
    .option("--limit <count>", "at most so many", "100")
    .action(async (options: { search?: string; tag?: string; limit: string }, command: Command) => {
      const session = openSession(command);
      const { data, meta } = await session.client.searchJobs({
        body: {
          size: count(options.limit, "--limit"),
          sortBy: "name",
          sortOrder: "asc",
          ...(options.search === undefined ? {} : { searchText: options.search }),
          ...(options.tag === undefined
            ? {}
            : {
                filters: {
                  tags: {
                    operator: "and" as const,
                    constraints: [{ value: options.tag, matchMode: "equals" as const }],
                  },
                },
              }),
        },
      });
      session.result(data, () =>
        data.length === 0
          ? `No jobs. Save one: ${pawl} job apply examples/earthquakes.yaml`
          : table(
              ["NAME", "VERSION", "STEPS", "TAGS", "UPDATED", "DESCRIPTION"],
              data.map((job) => [
                safe(job.name),
                String(job.version),
                String(job.steps.length),
                safe(job.tags.join(" ")),
                localTime(job.updatedAt),
                oneLine(job.description, 60),
              ]),
            ),
      );
      if (meta.totalElements > data.length) {
        session.note(`${data.length} of ${meta.totalElements}; more with --limit.`);
      }
    });

  group
    .command("show")
    .argument("<job>", "name or id")
    .description("show a job, its steps and how its executions went")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const job = await findJob(session.client, nameOrId);
      if (session.json) return session.result(job, () => "");
      console.log(await describeJob(session, job));
    });

  group
    .command("export")
    .argument("<job>", "name or id")
    .description("print a job as the YAML that `job apply` takes")
    .option("-o, --output <file>", "write to this file instead")
    .action(async (nameOrId: string, options: { output?: string }, command: Command) => {
      const session = openSession(command);
      const { id } = await findJob(session.client, nameOrId);
      const format = session.json || options.output?.endsWith(".json") ? "json" : "yaml";
      const { data } = await session.client.exportJob({ params: { id }, query: { format } });
      const text = data.endsWith("\n") ? data : `${data}\n`;
      if (options.output === undefined) process.stdout.write(text);
      else {
        writeFileSync(options.output, text);
        session.note(`Written to ${options.output}.`);
      }
    });

  group
    .command("delete")
    .argument("<job>", "name or id")
    .description("delete a job; what it ran stays readable")
    .option("-y, --yes", "do not ask")
    .action(async (nameOrId: string, options: { yes?: boolean }, command: Command) => {
      const session = openSession(command);
      const job = await findJob(session.client, nameOrId);
      if (!options.yes) await confirm(`Delete the job "${safe(job.name)}"?`);
      const { message } = await session.client.deleteJob({ params: { id: job.id } });
      session.result({ id: job.id, name: job.name, deleted: true }, () => safe(message));
    });

  group
    .command("versions")
    .argument("<job>", "name or id")
    .description("list a job's versions, newest first")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findJob(session.client, nameOrId);
      const { data, meta } = await session.client.listJobVersions({ params: { id }, query: { size: 100 } });
      session.result(data, () =>
        table(
          ["VERSION", "SAVED", "BY", "STEPS", ""],
          data.map((version) => [
            String(version.version),
            localTime(version.createdAt),
            safe(version.createdBy),
            String(version.definition.steps.length),
            [version.current ? "current" : "", version.restoredFrom ? `from ${version.restoredFrom}` : ""]
              .filter(Boolean)
              .join(", "),
          ]),
        ),
      );
      if (meta.totalElements > data.length)
        session.note(`The newest ${data.length} of ${meta.totalElements}.`);
    });

  group
    .command("restore")
    .argument("<job>", "name or id")
    .argument("<version>", "a number of `job versions`")
    .description("make an earlier version the newest again")
    .action(async (nameOrId: string, version: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findJob(session.client, nameOrId);
      const params = { id, version: count(version, "The version") };
      const { data } = await session.client.restoreJobVersion({ params });
      session.result(
        data,
        () => `${safe(data.name)} is at version ${data.version}, which is ${version} again.`,
      );
    });
}

async function describeJob({ client }: Session, job: Job): Promise<string> {
  const summary = (await client.getExecutionSummary({ params: { jobId: job.id } })).data;
  const inputs = Object.keys((job.parameters?.properties as object | undefined) ?? {});
  const head: [string, string][] = [
    ["Name", paint("bold", safe(job.name))],
    ["Id", job.id],
    ["Description", oneLine(job.description, 200)],
    ["Tags", safe(job.tags.join(" "))],
    ["Parameters", safe(inputs.join(", "))],
    ["Version", `${job.version}, saved ${localTime(job.updatedAt)} by ${safe(job.updatedBy)}`],
    [
      "Executions",
      summary.totalExecutions === 0
        ? "none yet"
        : `${summary.totalExecutions}, ${summary.successRate} % completed, ${duration(summary.avgDurationMs)} on average`,
    ],
  ];
  if (summary.lastStatus)
    head.push(["Last", `${status(summary.lastStatus)} ${localTime(summary.lastExecutedAt)}`]);
  const steps = table(
    ["STEP", "TYPE", "NAME", "WHEN"],
    job.steps.map((step) => [
      safe(step.key),
      safe(step.type),
      oneLine(step.name ?? "", 50),
      oneLine(step.when ?? "", 50),
    ]),
  );
  return `${fields(head.filter(([, value]) => value !== ""))}\n\n${steps}`;
}

async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new CliError("usage", `${question} There is no terminal to ask on: say --yes.`);
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `).finally(() => terminal.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError("usage", "Nothing was deleted.");
}

/** A whole number of the command line, 1 to 1000. */
export function count(text: string, what: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1 || value > 1000) {
    throw new CliError("usage", `${what} must be a whole number from 1 to 1000, not "${text}".`);
  }
  return value;
}

/** A name as a shell takes it. */
export function quoted(name: string): string {
  return /^[\w.@/-]+$/.test(name) ? name : `'${safe(name).replaceAll("'", "'\\''")}'`;
}
