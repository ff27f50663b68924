import assert from "node:assert/strict";
import { ClientError } from "../../../src/client/error.ts";
import type { JobExecution } from "../../../src/contract/execution.ts";
import type { JobInput } from "../../../src/contract/job.ts";
import type { PawlProcess } from "../../helpers/pawl-process.ts";

/** What comes of an execution of the job, whatever crashes meanwhile. */
export interface Expected {
  status: JobExecution["status"];
  /** Of its steps, in order; those that come after a failure have none. */
  steps: JobExecution["status"][] | ("COMPLETED" | "FAILED" | "SKIPPED")[];
}

/** One start, as its caller knows of it. */
export interface Started {
  job: string;
  /** Names it: its triggerSource, and its Idempotency-Key if it has one. */
  label: string;
  keyed: boolean;
  /** The caller waits for the end. */
  waits: boolean;
  /** Known once the start was acknowledged. */
  executionId: string | undefined;
}

export interface Load {
  /** By name of the job. */
  expected: ReadonlyMap<string, Expected>;
  /** Ids of the steps of the job, in order. */
  steps: ReadonlyMap<string, string[]>;
  jobIds: ReadonlyMap<string, string>;
  started: readonly Started[];
  setUp(pawl: PawlProcess): Promise<void>;
  /**
   * Starts so many executions of all jobs in turn; `waiting`: some wait for the end; `holding`: some are paused for a moment.
   * Returns early when the server is gone.
   */
  run(
    pawl: PawlProcess,
    options: { count: number; inFlight?: number; waiting?: boolean; holding?: boolean },
  ): Promise<void>;
  /** Repeats the starts with a key whose answer never came. */
  repeatUnanswered(pawl: PawlProcess): Promise<void>;
  /** What was answered instead of an acknowledgement: the reasons, and how long each answer took. */
  refused: { error: ClientError; tookMs: number }[];
}

/** After this what was paused is resumed by itself, also in a later life of the server. */
const heldMs = 300;

const retry = { maxAttempts: 6, initialDelayMs: 10, maxDelayMs: 40 };

function jobs(ledger: string): { job: JobInput; expected: Expected }[] {
  const call = (key: string, path = "effect") => ({
    key,
    type: "http",
    input: { method: "POST", url: `${ledger}/${path}` },
  });
  return [
    {
      job: { name: "plain", steps: [call("a"), call("b"), call("c")] },
      expected: { status: "COMPLETED", steps: ["COMPLETED", "COMPLETED", "COMPLETED"] },
    },
    {
      job: { name: "retries", steps: [{ ...call("a", "flaky"), retry }, call("b")] },
      expected: { status: "COMPLETED", steps: ["COMPLETED", "COMPLETED"] },
    },
    {
      job: {
        name: "waits",
        steps: [call("a"), { key: "b", type: "wait", input: { durationMs: 30 } }, call("c", "slow")],
      },
      expected: { status: "COMPLETED", steps: ["COMPLETED", "COMPLETED", "COMPLETED"] },
    },
    {
      // Its retries are due before they are recorded; its wait is not.
      job: {
        name: "hurries",
        steps: [
          { ...call("a", "flaky"), retry: { maxAttempts: 6, initialDelayMs: 0 } },
          { key: "b", type: "wait", input: { durationMs: 300 } },
        ],
      },
      expected: { status: "COMPLETED", steps: ["COMPLETED", "COMPLETED"] },
    },
    {
      job: {
        name: "guarded",
        steps: [
          call("a"),
          { ...call("b"), when: "steps.a.output.status == 404" },
          { ...call("c", "refuse"), onError: "continue" },
          { ...call("d"), when: "steps.c.status == 'FAILED'" },
        ],
      },
      expected: { status: "COMPLETED", steps: ["COMPLETED", "SKIPPED", "FAILED", "COMPLETED"] },
    },
    {
      job: { name: "fails", steps: [call("a", "slow"), call("b", "refuse"), call("c")] },
      expected: { status: "FAILED", steps: ["COMPLETED", "FAILED"] },
    },
  ];
}

/** Callers that start jobs whose steps call the ledger: every second with an Idempotency-Key, some waiting for the end. */
export function createLoad(ledgerUrl: string): Load {
  const made = jobs(ledgerUrl);
  const expected = new Map(made.map(({ job, expected }) => [job.name, expected]));
  const names = [...expected.keys()];
  const steps = new Map<string, string[]>();
  const jobIds = new Map<string, string>();
  const started: Started[] = [];
  const refused: Load["refused"] = [];

  /** False when the server is gone. */
  async function start(pawl: PawlProcess, one: Started): Promise<boolean> {
    const begun = performance.now();
    try {
      const { data } = await pawl.client.startJob({
        body: {
          jobId: jobIds.get(one.job)!,
          triggerSource: one.label,
          ...(one.waits ? { async: false } : {}),
        },
        headers: one.keyed ? { "idempotency-key": one.label } : {},
      });
      assert.equal(one.executionId ?? data.executionId, data.executionId);
      one.executionId = data.executionId;
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === "UNREACHABLE") return false;
      refused.push({ error, tookMs: performance.now() - begun });
    }
    return true;
  }

  /** False when the server is gone. */
  async function hold(pawl: PawlProcess, jobExecutionId: string): Promise<boolean> {
    const begun = performance.now();
    try {
      const resumeAt = new Date(Date.now() + heldMs).toISOString();
      await pawl.client.pauseExecution({ body: { jobExecutionId, resumeAt } });
    } catch (error) {
      if (!(error instanceof ClientError)) throw error;
      if (error.code === "UNREACHABLE") return false;
      // It has ended by now, or the request took longer than the pause.
      if (!["INVALID_STATE", "VALIDATION_FAILED"].includes(error.code))
        refused.push({ error, tookMs: performance.now() - begun });
    }
    return true;
  }

  return {
    expected,
    steps,
    jobIds,
    started,
    refused,

    async setUp(pawl) {
      for (const { job } of made) {
        const { data } = await pawl.client.createJob({ body: job });
        jobIds.set(job.name, data.id);
        steps.set(
          job.name,
          data.steps.map((step) => step.id),
        );
      }
    },

    async run(pawl, { count, inFlight = 16, waiting = true, holding = false }) {
      let left = count;
      const caller = async () => {
        while (left-- > 0) {
          const number = started.length;
          const one: Started = {
            job: names[number % names.length]!,
            label: `start-${number}`,
            waits: waiting && number % 10 === 7,
            keyed: Math.floor(number / names.length) % 2 === 0,
            executionId: undefined,
          };
          started.push(one);
          if (!(await start(pawl, one))) return;
          const held = holding && number % 4 === 1 && one.executionId;
          if (held && !(await hold(pawl, held))) return;
        }
      };
      await Promise.all(Array.from({ length: inFlight }, caller));
    },

    async repeatUnanswered(pawl) {
      const unanswered = started.filter((one) => one.keyed && one.executionId === undefined);
      await Promise.all(unanswered.map((one) => start(pawl, one)));
    },
  };
}
