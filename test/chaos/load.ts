import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "../../src/client/client.ts";
import { ClientError } from "../../src/client/error.ts";
import type { JobInput } from "../../src/contract/job.ts";
import type { SupervisedServer } from "./faults.ts";
import type { Random } from "./random.ts";

const retry = { maxAttempts: 6, initialDelayMs: 20, maxDelayMs: 80 };

/** The jobs, and the status that each comes to when nobody stops it. */
export const jobs = ["plain", "retries", "waits", "fails", "asks"] as const;
export type JobName = (typeof jobs)[number];

function definitions(ledger: string): Record<JobName, JobInput> {
  const call = (key: string, path = "effect") => ({
    key,
    type: "http",
    input: { method: "POST", url: `${ledger}/${path}` },
    // A process that is killed in the middle of a call has its steps run again; a refused connection must not fail them.
    retry,
  });
  return {
    plain: { name: "plain", steps: [call("a"), call("b", "slow"), call("c")] },
    retries: { name: "retries", steps: [call("a", "flaky"), call("b")] },
    waits: {
      name: "waits",
      steps: [call("a"), { key: "b", type: "wait", input: { durationMs: 150 } }, call("c", "slow")],
    },
    fails: { name: "fails", steps: [call("a"), call("b", "refuse"), call("c")] },
    asks: {
      name: "asks",
      steps: [call("a"), { key: "b", type: "approval", input: { message: "Go on?" } }, call("c")],
    },
  };
}

type Control = "pause" | "resume" | "stop" | "restart" | "decide";

/** An action as its caller knows of it: answered, refused with INVALID_STATE, or asked for again after no answer. */
export interface Asked {
  action: Control;
  answer: "done" | "refused";
  /** Earlier tries that were not answered with either: they may have happened. */
  unanswered: number;
}

export interface Story {
  number: number;
  job: JobName;
  executionId: string | undefined;
  asked: Asked[];
}

/** A request as its caller saw it. */
export interface Request {
  what: string;
  from: number;
  tookMs: number;
  /** OK, a code of the contract, UNREACHABLE or TIMEOUT. */
  code: string;
  status: number;
  retryAfter: number | undefined;
}

const hangsMs = 10_000;

/** Clients that start executions and control them, each insisting until it has an answer. */
export function createLoad(server: SupervisedServer, ledger: string, chance: Random) {
  const made = definitions(ledger);
  const jobIds = new Map<JobName, string>();
  const steps = new Map<string, number>();
  const stories: Story[] = [];
  const requests: Request[] = [];

  /** One request; undefined when it was not answered, or for later. */
  async function ask<T>(
    what: string,
    request: (client: Client, signal: AbortSignal) => Promise<T>,
  ): Promise<{ value?: T; code: string }> {
    const client = await server.now();
    const from = Date.now();
    const signal = AbortSignal.timeout(hangsMs);
    let code = "OK";
    let status = 200;
    let retryAfter: number | undefined;
    let value: T | undefined;
    try {
      value = await request(client, signal);
    } catch (error) {
      if (!(error instanceof ClientError) && !signal.aborted) throw error;
      code = signal.aborted ? "TIMEOUT" : (error as ClientError).code;
      if (error instanceof ClientError) ({ status, retryAfter } = error);
    }
    requests.push({ what, from, tookMs: Date.now() - from, code, status, retryAfter });
    return value === undefined ? { code } : { value, code };
  }

  async function control(story: Story, action: Control): Promise<Asked> {
    const asked: Asked = { action, answer: "refused", unanswered: 0 };
    const body = { jobExecutionId: story.executionId! };
    for (;;) {
      const { code } = await ask(action, (client, signal) => {
        if (action === "decide") return client.answerExecution({ body: { ...body, approve: true }, signal });
        return client[`${action}Execution`]({ body, signal });
      });
      if (code === "OK" || code === "INVALID_STATE") {
        asked.answer = code === "OK" ? "done" : "refused";
        story.asked.push(asked);
        return asked;
      }
      asked.unanswered++;
      await delay(chance.between(20, 200));
    }
  }

  const plots: readonly (readonly Control[])[] = [
    [],
    [],
    [],
    ["pause", "resume"],
    ["pause", "resume", "pause", "resume"],
    ["pause"],
    ["stop"],
    ["stop", "restart"],
    ["pause", "stop", "restart"],
    ["stop", "restart", "stop", "restart"],
  ];

  async function tell(story: Story): Promise<void> {
    for (;;) {
      const { value } = await ask("start", (client, signal) =>
        client.startJob({
          body: { jobId: jobIds.get(story.job)!, triggerSource: `story ${story.number}` },
          headers: { "idempotency-key": `story-${story.number}` },
          signal,
        }),
      );
      if (value) {
        story.executionId = value.data.executionId;
        break;
      }
      await delay(chance.between(20, 200));
    }
    for (const action of chance.pick(plots)) {
      await delay(chance.between(0, 250));
      await control(story, action);
    }
    if (story.job === "fails" && chance.between(0, 1) < 0.3) {
      await delay(300);
      await control(story, "restart");
    }
  }

  return {
    stories,
    requests,
    steps,

    async setUp(): Promise<void> {
      const client = await server.now();
      for (const job of jobs) {
        const { data } = await client.createJob({ body: made[job] });
        jobIds.set(job, data.id);
        steps.set(job, data.steps.length);
      }
    },

    /** Tells so many stories, so many a second at most, and so many at a time. */
    async run(count: number, perSecond: number, atATime: number): Promise<void> {
      const begun = performance.now();
      let next = 0;
      const teller = async (): Promise<void> => {
        for (let i = next++; i < count; i = next++) {
          const ahead = begun + (i * 1_000) / perSecond - performance.now();
          if (ahead > 0) await delay(ahead);
          const story: Story = { number: i, job: chance.pick(jobs), executionId: undefined, asked: [] };
          stories.push(story);
          await tell(story);
        }
      };
      await Promise.all(Array.from({ length: atATime }, teller));
    },

    /** Moves on what is still held, and what waits for a decision. */
    async release(executions: readonly { id: string; held: "pause" | "decision" }[]): Promise<void> {
      const byId = new Map(stories.map((story) => [story.executionId, story]));
      await Promise.all(
        executions.map(({ id, held }) => {
          const story = byId.get(id);
          return story && control(story, held === "pause" ? "resume" : "decide");
        }),
      );
    },
  };
}

export type Load = ReturnType<typeof createLoad>;
