import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Outcome, runPawl, spawnPawl } from "./helpers/pawl-command.ts";

let temporary: string;
let env: Record<string, string>;

/** Processes whose command line names the demo's directory: PostgreSQL says its data directory there. */
function processesOf(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readCommandLine(pid);
      } catch {
        return "";
      }
    })
    .filter((line) => line.includes(directory));
}

function readCommandLine(pid: string): string {
  return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
}

function assertNothingLeft(outcome: Outcome): void {
  assert.deepEqual(readdirSync(temporary), [], outcome.stderr);
  if (process.platform === "linux") assert.deepEqual(processesOf(temporary), []);
}

describe("the demo", () => {
  before(() => {
    temporary = mkdtempSync(join(tmpdir(), "pawl-demo-test-"));
    // As under /tmp itself: PostgreSQL's account may pass.
    chmodSync(temporary, 0o755);
    env = { TMPDIR: temporary };
  });
  after(() => rmSync(temporary, { recursive: true, force: true }));

  it("runs the example with a real retry, prints its report, and leaves nothing behind", async () => {
    const outcome = await runPawl(["demo"], { env });
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.match(outcome.stdout, /fetch +COMPLETED .*2 attempts/);
    assert.match(outcome.stdout, /297 earthquakes of magnitude 2\.5 or more, 2018-01-31 to 2018-02-07/);
    assert.match(outcome.stdout, /6\.0 +█+ +5 +6\.4 +22km NNE of Hualian, Taiwan/);
    assert.match(outcome.stdout, /Executions +1, 100 % completed/);
    assertNothingLeft(outcome);
  });

  it("takes no setting from the environment", async () => {
    const outcome = await runPawl(["demo", "--json"], {
      env: { ...env, DATABASE_URL: "postgresql://nobody@127.0.0.1:1/none", PAWL_PORT: "1" },
    });
    assert.equal(outcome.code, 0, outcome.stderr);
    const { execution, summary } = JSON.parse(outcome.stdout);
    assert.equal(execution.status, "COMPLETED");
    assert.equal(execution.stepExecutions[0].attempts, 2);
    assert.deepEqual(
      execution.stepExecutions.map((step: { status: string }) => step.status),
      ["COMPLETED", "COMPLETED", "COMPLETED", "COMPLETED"],
    );
    assert.equal(summary.successCount, 1);
    assertNothingLeft(outcome);
  });

  it("stays up with --keep, says how to reach it, and cleans up at Ctrl-C", async () => {
    const demo = spawnPawl(["demo", "--keep"], { env });
    const [, url, dataDir] = await demo.until(/export PAWL_URL=(\S+) PAWL_DATA_DIR=(\S+)/);
    const reach = { PAWL_URL: url!, PAWL_DATA_DIR: dataDir! };
    const shown = await runPawl(["execution", "show", "--last", "earthquakes", "--json"], { env: reach });
    assert.equal(JSON.parse(shown.stdout).status, "COMPLETED", shown.stderr);
    demo.process.kill("SIGINT");
    const outcome = await demo.ended;
    assert.equal(outcome.code, 0, outcome.stderr);
    assertNothingLeft(outcome);
  });

  it("cleans up when it is ended early", async () => {
    const demo = spawnPawl(["demo"], { env });
    await demo.until(/Starting Pawl/);
    demo.process.kill("SIGTERM");
    const outcome = await demo.ended;
    assert.equal(outcome.code, 130, outcome.stderr);
    assertNothingLeft(outcome);
  });
});
