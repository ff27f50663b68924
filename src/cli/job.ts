import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import type { Job } from "../contract/job.ts";
import { applyFile } from "./apply.ts";
import { confirm, count } from "./ask.ts";
import { moment, where } from "./filters.ts";
import { findCollection } from "./find-collection.ts";
import { findJob } from "./find-job.ts";
import { addJobMove } from "./job-move.ts";
import { pawl } from "./own-name.ts";
import { openSession, type Session } from "./session.ts";
import { duration, fields, localTime, oneLine, paint, safe, status, table } from "./text.ts";

interface JobListOptions {
  search?: string;
  tag?: string;
  category?: string;
  collection?: string;
  updatedSince?: string;
  limit: string;
}

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
    .option("--search <text>", "only those with these words in name or description")
    .option("--tag <tag>", "only those with this tag")
    .option("--category <category>", "only those of this category")
    .option("--collection <collection>", "only those in this collection (name or id)")
    .option("--updated-since <when>", "saved at or after: 30m, 1h, 7d ago, or 2026-11-21")
    .option("--limit <count>", "at most so many", "100")
    .action(async (options: JobListOptions, command: Command) => {
      const session = openSession(command);
      const { search, tag, category, collection, updatedSince } = options;
      const filters = where({
        tags: tag,
        category,
        collectionId:
          collection === undefined ? undefined : (await findCollection(session.client, collection)).id,
      });
      if (updatedSince !== undefined) {
        const value = moment(updatedSince, "--updated-since");
        filters.updatedAt = { operator: "and", constraints: [{ value, matchMode: "gte" }] };
      }
      const { data, meta, message } = await session.client.searchJobs({
        body: {
          size: count(options.limit, "--limit"),
          sortBy: "name",
          sortOrder: "asc",
          searchText: search ?? null,
          filters,
        },
      });
      const asked = search !== undefined || Object.keys(filters).length > 0;
      session.result(data, () =>
        data.length === 0
          ? asked
            ? safe(message)
            : `No jobs. Save one: ${pawl} job apply examples/earthquakes.yaml`
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

  addJobMove(group);

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

/** A name as a shell takes it. */
export function quoted(name: string): string {
  return /^[\w.@/-]+$/.test(name) ? name : `'${safe(name).replaceAll("'", "'\\''")}'`;
}
