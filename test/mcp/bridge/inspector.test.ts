import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { scratchRoot } from "../../helpers/scratch.ts";
import { assistantOf, type Era, eras } from "./client.ts";
import { makeJobs } from "./jobs.ts";

let pawl: RunningPawl;
let jobs: Awaited<ReturnType<typeof makeJobs>>;
let mcpToken: string;
let home: string;

before(async () => {
  pawl = await startTestPawl();
  jobs = await makeJobs(pawl);
  ({ mcpToken } = await assistantOf(pawl));
  home = await mkdtemp(join(scratchRoot(), "pawl-inspector-"));
});
after(async () => {
  await pawl.close();
  await rm(home, { recursive: true, force: true });
});

const inspector = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json");
const program = join(dirname(inspector), "clients", "launcher", "build", "index.js");

/** The Inspector's command line, as somebody who tries out a server types it. */
async function inspect(era: Era, args: string[], token = mcpToken) {
  const where = ["--server-url", `${pawl.url}/mcp`, "--transport", "http", "--protocol-era", era];
  const how = ["--header", `Authorization: Bearer ${token}`, "--stored-auth-only", "--format", "json", "-q"];
  const child = spawn(process.execPath, [program, "--cli", ...where, ...how, ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: home },
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

async function call(era: Era, name: string, args: object) {
  const tool = ["--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)];
  const { code, stdout, stderr } = await inspect(era, tool);
  return { code, said: stdout ? JSON.parse(stdout).result : undefined, text: stdout + stderr };
}

describe("the official Inspector", { concurrency: 2 }, () => {
  for (const era of eras) {
    test(`discovers, starts, watches and stops in the ${era} era`, async () => {
      const listed = await inspect(era, ["--method", "tools/list", "--strict"]);
      assert.equal(listed.code, 0, listed.stderr);
      assert.equal(JSON.parse(listed.stdout).result.tools.length, 9);

      const found = await call(era, "search_jobs", { query: "slow" });
      assert.equal(found.code, 0, found.text);
      const { id: jobId } = found.said.structuredContent.jobs[0];
      assert.equal(jobId, jobs.slow.id);
      const started = await call(era, "start_job", { jobId });
      const { executionId } = started.said.structuredContent;
      const watched = await call(era, "get_run", { executionId, waitSeconds: 1 });
      assert.equal(watched.said.structuredContent.progress.currentStep, "Take a nap");
      const first = await call(era, "stop_run", { executionId });
      assert.equal(first.code, 5, first.text);
      assert.match(first.text, /CONFIRMATION_REQUIRED|CANCELLED_BY_USER/);
      const stopped = await call(era, "stop_run", { executionId, confirm: true });
      assert.equal(stopped.said.structuredContent.status, "STOPPED", stopped.text);
      const { data } = await pawl.client.getExecution({ params: { id: executionId } });
      assert.deepEqual([data.status, data.triggerSource], ["STOPPED", "mcp-server"]);
    });
  }

  test("is told that it needs a token", async () => {
    const { code, stderr } = await inspect("modern", ["--method", "tools/list"], "none");
    assert.equal(code, 3, stderr);
  });
});
