import type pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import type { Journal } from "../../engine/journal/journal.ts";
import type { Turn } from "../../engine/journal/lane.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { resumeTurn } from "./control.ts";
import type { Effects } from "./control-turn.ts";
import { decideTurn, overdueTurn } from "./decision.ts";
import { dueTimer } from "./due-timer.ts";
import { claimDue, type DueHold, findDueHolds, isHeldUntil, nextDue } from "./store.ts";

export interface WakeUp {
  /** @param at milliseconds since the epoch */
  schedule(at: number): void;
  /** Schedules the earliest time that the rows know. */
  begin(): Promise<void>;
  stop(): void;
}

const claimAtOnce = 500;
const retryMs = 1_000;

/** Brings back what waits for a time: retries and timers whose time has come, holds that end by themselves. */
export function wakeUp(options: {
  pool: pg.Pool;
  owner: string;
  journal: Journal;
  effects(): Effects;
  onDue(ids: string[]): void;
  /** A claim may have been made whose answer never came: those it took are to be looked for. */
  onLostClaim(): Promise<void>;
  onFault(error: Error): void;
}): WakeUp {
  const { pool, journal } = options;
  const timer = dueTimer(() => void look());
  let claimLost = false;

  async function look(): Promise<void> {
    try {
      const ids = await claimDue(pool, options.owner, Date.now(), claimAtOnce);
      failpoint("timer.after-claim");
      options.onDue(ids);
      if (claimLost) await options.onLostClaim();
      claimLost = false;
      await liftDueHolds();
      await begin();
    } catch (error) {
      claimLost = true;
      options.onFault(error as Error);
      timer.schedule(Date.now() + retryMs);
    }
  }

  async function begin(): Promise<void> {
    const next = await nextDue(pool);
    if (next !== undefined) timer.schedule(next);
  }

  async function liftDueHolds(): Promise<void> {
    const effects = options.effects();
    for (const hold of await findDueHolds(pool, Date.now(), claimAtOnce)) {
      const { id, held, onDeadline } = hold;
      const request = { executionId: id, actor: "pawl", reason: "The time set for it has come." };
      const turn =
        held === "pause"
          ? resumeTurn(request, effects)
          : onDeadline === "fail"
            ? overdueTurn(id, effects)
            : decideTurn({ ...request, approve: onDeadline === "approve" }, effects);
      await journal.takeInTurn(whileHeld(hold, turn)).catch((error: unknown) => {
        // Somebody was first.
        if (!(error instanceof ApiError && error.code === "INVALID_STATE")) throw error;
      });
    }
  }

  return { schedule: timer.schedule, begin, stop: timer.stop };
}

/** Turns of one execution are taken one by one: those before this may have ended the hold, and begun another with a time of its own. */
function whileHeld<T>({ id, actAt }: DueHold, turn: Turn<T>): Turn<T> {
  return {
    ...turn,
    async work(client) {
      if (await isHeldUntil(client, id, actAt)) return turn.work(client);
      throw new ApiError("INVALID_STATE", "The execution was let go on before its time came.");
    },
  };
}
