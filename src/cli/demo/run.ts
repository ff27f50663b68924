import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Client, createClient } from "../../client/client.ts";
import { loadConfig } from "../../config.ts";
import type { ExecutionSummary, JobExecution } from "../../contract/execution.ts";
import { applyFile } from "../apply.ts";
import { exitCodes } from "../exit.ts";
import { progressView } from "../progress.ts";
import type { Session } from "../session.ts";
import { aborted, interruptible, onEndRequested } from "../signals.ts";
import { duration, fields, localTime, paint, safe, status } from "../text.ts";
import { exitOf, follow } from "../watch.ts";
import { seedCompany } from "./company.ts";
import { serveEarthquakes } from "./earthquake-server.ts";

const example = fileURLToPath(new URL("../../../examples/earthquakes.yaml", import.meta.url));

/** Boots a Pawl of its own, runs the example on it and shows what came out; whatever happens, nothing stays behind. */
export async function runDemo(session: Session, keep: boolean): Promise<void> {
  // Not even a second Ctrl-C skips the cleaning up: it is short, and a database left running is not.
  const end = onEndRequested({ force: false });
  const demo = demonstrate(session, keep, end.requested);
  await interruptible(end.requested, "The demo was ended; nothing of it is left.", demo);
  end.release();
}

async function demonstrate(session: Session, keep: boolean, requested: AbortSignal): Promise<void> {
  await using cleanup = new AsyncDisposableStack();
  const say = session.json ? () => {} : (text: string) => console.log(text);

  say("Starting Pawl on a database of its own …");
  const began = performance.now();
  const pawl = await boot(cleanup);
  const source = await serveEarthquakes();
  cleanup.defer(() => source.close());
  say(`${paint("green", "✔")} Pawl answers at ${pawl.url} (${duration(performance.now() - began)})\n`);

  const ran = await runExample(pawl.client, source.url, session, requested);
  session.result(ran, () => describe(ran));
  process.exitCode = exitCodes[exitOf(ran.execution)].code;
  if (!keep) return;
  say("Filling it with what a small company has …");
  const seeded = seedCompany(pawl.client);
  // What fails once Pawl ends is of no interest any more.
  seeded.catch(() => {});
  await Promise.race([seeded, aborted(requested)]);
  session.note(whatNext(pawl, await pawl.signInLink(), source.url));
  await aborted(requested);
  session.note("Ending Pawl and removing its data.");
}

export interface DemoPawl {
  url: string;
  token: string;
  dataDir: string;
  client: Client;
  signInLink(): Promise<string>;
}

/** A Pawl that takes nothing from this environment but PATH and the like: no settings, no database. */
export async function boot(cleanup: AsyncDisposableStack): Promise<DemoPawl> {
  const { removeData, startPawl } = await import("../../main.ts");
  const dataDir = await mkdtemp(join(tmpdir(), "pawl-demo-"));
  cleanup.defer(async () => {
    await removeData(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  });
  const settings = {
    PAWL_DATA_DIR: dataDir,
    PAWL_PORT: "0",
    PAWL_LOG_LEVEL: "error",
    PAWL_SHUTDOWN_GRACE: "0",
  };
  const pawl = await startPawl(loadConfig(settings, { envFile: null }));
  cleanup.defer(() => pawl.close());
  return {
    url: pawl.url,
    token: pawl.adminToken!,
    dataDir,
    signInLink: pawl.signInLink,
    client: createClient({ url: pawl.url, token: pawl.adminToken }),
  };
}

interface DemoRun {
  execution: JobExecution;
  summary: ExecutionSummary;
}

async function runExample(
  client: Client,
  source: string,
  session: Session,
  signal: AbortSignal,
): Promise<DemoRun> {
  const { job } = await applyFile(client, example, "fail");
  const started = await client.startJob({
    body: {
      jobId: job.id,
      parameters: { source, minMagnitude: 2.5 },
      triggeredBy: "manual",
      triggerSource: "demo",
    },
    signal,
  });
  const view = session.json ? undefined : progressView(process.stdout);
  const { executionId: id } = started.data;
  try {
    const execution = await follow(client, id, view ?? { show() {}, say() {}, close() {} }, signal);
    const { data: summary } = await client.getExecutionSummary({ params: { jobId: job.id }, signal });
    return { execution, summary };
  } finally {
    view?.close();
  }
}

function describe({ execution, summary }: DemoRun): string {
  const report = execution.stepExecutions.find((step) => step.stepKey === "report")?.output;
  const text = typeof report === "string" ? `\n${safe(report)}\n` : "";
  const why = execution.error ? `\n${paint("red", safe(execution.error.message))}\n` : "";
  return `${text}${why}\n${fields([
    ["Executions", `${summary.totalExecutions}, ${summary.successRate} % completed`],
    ["Took", duration(summary.avgDurationMs)],
    ["Last", `${status(summary.lastStatus ?? "none")} ${localTime(summary.lastExecutedAt)}`],
  ])}`;
}

function whatNext({ url, dataDir }: DemoPawl, link: string, source: string): string {
  return `
Pawl stays up. Look at it in a browser; this link signs you in once:

  ${link}

API reference: ${url}/docs. In another terminal, here:

  export PAWL_URL=${url} PAWL_DATA_DIR=${dataDir}      # the token is in its file admin-token

  npx pawl execution show --last earthquakes
  npx pawl start earthquakes --wait --param source=${source} --param minMagnitude=5
  npx pawl job export earthquakes > mine.yaml                # change it, then: npx pawl job apply mine.yaml

Ctrl-C ends it and removes its data.`;
}
