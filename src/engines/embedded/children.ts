import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { CompiledJob, ControlRequest, Ending, NewExecution } from "../../engine/engine.ts";
import { newId } from "../../lib/ids.ts";
import { findChild, findChildren, findParent, wakeParents } from "./child-store.ts";
import type { ChildRecord, RunState } from "./context.ts";

export const deepest = 16;

/** The current version of a job that a step starts. */
export interface StartableChild {
  version: number;
  /** Where its secret parameters are. */
  secretPaths?: readonly (readonly string[])[];
  sealParameters?(executionId: string, parameters: Record<string, unknown>): Record<string, unknown>;
  readParameters(given: Record<string, unknown>): {
    value: Record<string, unknown>;
    faults: { path: string; message: string }[];
  };
}

export interface ChildrenOptions {
  pool: pg.Pool;
  owner: string;
  findJob(jobId: string): Promise<(CompiledJob & StartableChild) | undefined>;
  start(execution: NewExecution): Promise<boolean>;
  pause(request: ControlRequest): Promise<unknown>;
  resume(request: ControlRequest): Promise<unknown>;
  stop(request: ControlRequest): Promise<unknown>;
  wake(executionId: string): void;
  onFault(error: Error, executionId: string): void;
}

type Reach = "pause" | "resume" | "stop";

/** Jobs that steps run: started once, and reached by what is done to the execution that started them. */
export function children(options: ChildrenOptions) {
  const { pool } = options;

  /** Starts the child if it was not, and answers its end if that has come. */
  async function child(record: ChildRecord, parent: RunState & { depth: number; startedBy: string }) {
    const found = await findChild(pool, record.childId);
    const { deadline, executionId } = parent.run;
    if (!found?.ending && deadline !== undefined && Date.now() >= deadline) {
      await reach("stop", executionId, { executionId, actor: "pawl", reason: "its time is up." });
      return failed("The execution took longer than its timeoutMs.");
    }
    if (found) return found.ending;
    if (parent.depth + 1 > deepest) return failed(`Jobs run each other ${deepest} deep already.`);
    for (let look = 0; look < 3; look++) {
      const job = await options.findJob(record.jobId);
      if (!job) return failed("There is no such job any more.");
      const { parameters, secret } = parent.run.job.reveal?.(executionId, record.parameters) ?? {
        parameters: record.parameters,
        secret: [],
      };
      const open = secret.find((path) => !isWithin(path, job.secretPaths ?? []));
      if (open) {
        return failed(
          `The parameter ${open[0]} of the job '${job.name}' is given a secret, which would be kept as it is: mark it secret there.`,
        );
      }
      const { value, faults } = job.readParameters(parameters);
      if (faults.length > 0) {
        const list = faults.map(({ path, message }) => `parameters${path.replaceAll("/", ".")} ${message}`);
        return failed(`The parameters don't fit the job '${job.name}': ${list.join("; ")}`);
      }
      const made = await startUnlessFull({
        id: record.childId,
        workflowId: newId(),
        jobId: job.jobId,
        jobVersion: job.version,
        jobName: job.name,
        parameters: job.sealParameters?.(record.childId, value) ?? value,
        triggeredBy: "job",
        triggerSource: parent.run.executionId,
        startedBy: parent.startedBy,
        startedAt: Date.now(),
        parentId: parent.run.executionId,
        depth: parent.depth + 1,
      });
      if (typeof made === "object") return made;
      if (made) {
        // What was done to the parent while the child started did not find it.
        if (parent.controller.signal.aborted) await reach("stop", parent.run.executionId, undefined);
        else if (parent.held) await reach("pause", parent.run.executionId, undefined);
        return undefined;
      }
    }
    return failed("The job is being changed just now.");
  }

  /** False where the job changed meanwhile; its refusal where it takes no more executions just now. */
  async function startUnlessFull(execution: NewExecution): Promise<boolean | Ending> {
    return options.start(execution).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === "CONFLICT") return failed(error.message);
      throw error;
    });
  }

  /** Does to the children what was done to their parent. */
  async function reach(action: Reach, parentId: string, request: ControlRequest | undefined): Promise<void> {
    for (const executionId of await findChildren(pool, parentId)) {
      const actor = request?.actor ?? "pawl";
      const reason = `Done to ${parentId}, which started it${request?.reason ? `: ${request.reason}` : "."}`;
      await options[action]({ executionId, actor, reason }).catch((error: unknown) => {
        // It ended meanwhile, or is in that state already.
        if (!(error instanceof ApiError && error.code === "INVALID_STATE")) throw error;
      });
    }
  }

  /** Brings the parent back when a child has ended. */
  async function ended(id: string, parentId: string | undefined): Promise<void> {
    try {
      const parent = parentId ?? (await findParent(pool, id));
      if (parent === undefined) return;
      await wakeParents(pool, options.owner, parent);
      options.wake(parent);
    } catch (error) {
      options.onFault(error as Error, id);
    }
  }

  return { child, reach, ended };
}

/** Whether a place is one of these, or inside one. */
function isWithin(path: readonly string[], places: readonly (readonly string[])[]): boolean {
  return places.some((place) => place.every((key, i) => key === path[i]));
}

function failed(message: string): Ending {
  return {
    status: "FAILED",
    endedAt: Date.now(),
    error: { code: "SUB_JOB_FAILED", message },
    output: null,
  };
}
