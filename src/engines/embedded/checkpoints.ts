import type { StepStatus } from "../../contract/execution.ts";
import { isStoreUnavailable } from "../../db/faults.ts";
import type { StepRunner } from "../../engine/engine.ts";
import { patiently } from "../../lib/patiently.ts";
import { deleteCheckpoints, loadCheckpoints, type StepRun, saveCheckpoint } from "./checkpoint-store.ts";
import type { EmbeddedOptions } from "./options.ts";

/** How values are sealed before they are kept, and opened again. */
export interface CheckpointSeal {
  seal(executionId: string, json: string): string;
  open(executionId: string, sealed: string): string;
}

/** Hands steps their checkpoints, and removes these when the steps have their results. */
export function openCheckpoints(
  { pool, protect, log }: Pick<EmbeddedOptions, "pool" | "protect" | "log">,
  owner: string,
) {
  // Most steps have none: nobody asks the database about those.
  const used = new Set<string>();

  return {
    /** The same runner, for steps that may look back at what they did before. */
    remembering(runStep: StepRunner): StepRunner {
      if (!protect) return runStep;
      return (call) => {
        const name = call.idempotencyKey;
        const step = stepRun(name);
        // A step whose tool has answered must not fail since that can't be written down just now.
        const whenThere = <T>(ask: () => Promise<T>) => patiently(call.signal, isStoreUnavailable, ask);
        return runStep({
          ...call,
          checkpoints: {
            async load() {
              used.add(name);
              const rows = await whenThere(() => loadCheckpoints(pool, step));
              const open = (value: string): unknown => JSON.parse(protect.open(step.executionId, value));
              return new Map(rows.map(({ key, value }) => [key, open(value)]));
            },
            async record(key, value) {
              used.add(name);
              const sealed = protect.seal(step.executionId, JSON.stringify(value));
              await whenThere(() => saveCheckpoint(pool, owner, step, key, sealed));
            },
          },
        });
      };
    },

    /** Once the step has its result, durably, it looks back no more. */
    changed(step: StepRun, status: StepStatus): void {
      if (status === "RUNNING" || status === "WAITING" || !used.delete(nameOf(step))) return;
      deleteCheckpoints(pool, step).catch((error: unknown) =>
        log.warn(
          { err: error },
          "What a step had recorded for itself stays for a while: it was not removed.",
        ),
      );
    },

    /** The execution is let go of; whatever it left is found when it goes on. */
    letGo(executionId: string): void {
      for (const name of used) if (name.startsWith(`${executionId}/`)) used.delete(name);
    },
  };
}

/** The idempotency key of a step says which one it is: `executionId/stepId/run`. */
function stepRun(idempotencyKey: string): StepRun {
  const [executionId = "", stepId = "", run = ""] = idempotencyKey.split("/");
  return { executionId, stepId, run: Number(run) };
}

function nameOf({ executionId, stepId, run }: StepRun): string {
  return `${executionId}/${stepId}/${run}`;
}
