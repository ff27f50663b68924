import type { Command } from "commander";
import type { JobActionResponse } from "../contract/control.ts";
import type { JobExecution } from "../contract/execution.ts";
import { exitCodes } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { readParameters } from "./params.ts";
import { openSession, type Session } from "./session.ts";
import { outcome } from "./start.ts";
import { safe } from "./text.ts";
import { collect } from "./token.ts";
import { exitOf, watchToEnd } from "./watch.ts";
import { idOrLast, type Which, which } from "./which.ts";

interface Options extends Which {
  reason?: string;
  resumeAt?: string;
  fromStep?: string;
  latest?: boolean;
  param?: string[];
  paramsFile?: string;
  answer?: string[];
  answersFile?: string;
  wait?: boolean;
}

type Act = (
  session: Session,
  execution: JobExecution,
  options: Options,
) => Promise<{ data: JobActionResponse }>;

/** The commands that act on an execution. */
export function addControl(program: Command): void {
  add(program, "pause", "hold an execution: the step under way finishes, nothing further starts", pause)
    .option("--resume-at <time>", "resume by itself then, e.g. 2026-01-31T06:00:00Z")
    .addHelpText(
      "after",
      examples(
        "pause --last nightly --reason 'the shop is closed'",
        "pause <id> --resume-at 2026-01-31T06:00:00Z",
      ),
    );
  add(program, "resume", "go on with a paused execution", resume)
    .option("-w, --wait", "watch it to its end and exit by its outcome")
    .addHelpText("after", examples("resume --last nightly", "resume <id> --wait"));
  add(program, "stop", "end an execution now and for good", stop).addHelpText(
    "after",
    examples("stop --last nightly --reason 'wrong day'"),
  );
  add(program, "restart", "run a failed or stopped execution again from a step on", restart)
    .option("--from-step <key>", "key or id of the step to begin with; else the one that failed")
    .option(
      "--latest",
      "with the newest version of the job; results are kept of steps that are the same in it",
    )
    .option(
      "-p, --param <name=value>",
      "parameters in the place of those that it had; repeat for more",
      collect,
    )
    .option("--params-file <file>", "parameters from a JSON or YAML file; - reads standard input")
    .option("-w, --wait", "watch it to its end and exit by its outcome")
    .addHelpText(
      "after",
      examples(
        "restart --last nightly --wait",
        "restart <id> --from-step fetch",
        "restart <id> --latest --param day=2026-01-31",
      ),
    );
  add(program, "approve", "approve an execution that waits for a decision", approve)
    .option("-a, --answer <name=value>", "an answer to the step's form; repeat for more", collect)
    .option("--answers-file <file>", "answers from a JSON or YAML file; - reads standard input")
    .option("-w, --wait", "watch it to its end and exit by its outcome")
    .addHelpText(
      "after",
      examples("approve --last refunds --reason 'checked by phone'", "approve <id> --answer amount=120"),
    );
  add(program, "reject", "reject an execution that waits for a decision: it is stopped", reject).addHelpText(
    "after",
    examples("reject --last refunds --reason 'no receipt'"),
  );
}

const pause: Act = ({ client }, { id: jobExecutionId }, { reason, resumeAt }) =>
  client.pauseExecution({ body: { jobExecutionId, ...given({ reason, resumeAt }) } });
const resume: Act = ({ client }, { id: jobExecutionId }, { reason }) =>
  client.resumeExecution({ body: { jobExecutionId, ...given({ reason }) } });
const stop: Act = ({ client }, { id: jobExecutionId }, { reason }) =>
  client.stopExecution({ body: { jobExecutionId, ...given({ reason }) } });

const restart: Act = async ({ client }, { id: jobExecutionId, jobId }, options) => {
  const { reason, fromStep, latest, param = [], paramsFile } = options;
  const others = param.length > 0 || paramsFile !== undefined;
  // What is no JSON is read as the schema of the newest version has it; that of an older one the server checks.
  const schema = others ? (await client.getJob({ params: { id: jobId } })).data.parameters : undefined;
  const parameters = others ? readParameters(param, paramsFile, schema) : undefined;
  const version = latest ? ("latest" as const) : undefined;
  return client.restartExecution({
    body: { jobExecutionId, ...given({ reason, fromStepId: fromStep, version, parameters }) },
  });
};

// They name the question that was read just before: the next one is not answered by them.
const reject: Act = ({ client }, { id, waitingFor }, { reason }) =>
  client.answerExecution({
    body: {
      jobExecutionId: id,
      approve: false,
      ...given({ comment: reason, stepExecutionId: waitingFor?.stepExecutionId }),
    },
  });

const approve: Act = async ({ client }, { id, waitingFor }, { reason, answer = [], answersFile }) => {
  const form = waitingFor?.form ?? undefined;
  const answers =
    answer.length > 0 || answersFile !== undefined ? readParameters(answer, answersFile, form) : undefined;
  return client.answerExecution({
    body: {
      jobExecutionId: id,
      approve: true,
      ...given({ comment: reason, answers, stepExecutionId: waitingFor?.stepExecutionId }),
    },
  });
};

function add(program: Command, name: string, description: string, act: Act): Command {
  return program
    .command(name)
    .argument("[id]", idOrLast)
    .description(description)
    .option("--last <job>", "the most recent execution of this job")
    .option("--reason <text>", "why; kept in the history")
    .action(async (id: string | undefined, options: Options, command: Command) => {
      const session = openSession(command);
      const execution = await which(session, id, options);
      const { data } = await act(session, execution, options);
      if (!options.wait) return session.result(data, () => safe(data.message));
      session.note(safe(data.message));
      const ended = await watchToEnd(session, execution.id);
      session.result(ended, () => outcome(ended));
      process.exitCode = exitCodes[exitOf(ended)].code;
    });
}

function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${pawl} ${line}`).join("\n")}`;
}
