import { ApiError } from "../../contract/errors.ts";
import { type Lane, openLane, type Turn } from "./lane.ts";
import { executionOf, type JournalRecord, type StartRecord } from "./records.ts";

export interface Journal {
  /** Resolves once the record is durable: false for a start that was refused, true otherwise. */
  append(record: JournalRecord): Promise<boolean>;
  /** Does a transaction in its turn among the records of its execution. */
  takeInTurn<T>(turn: Turn<T>): Promise<T>;
  /** Takes back the records of an execution that are not sent yet; their writers get `reason`. */
  drop(executionId: string, reason: unknown): void;
  /** Keeps results that are not sent yet from ending their execution. */
  withholdEnd(executionId: string): void;
  /** Writes what waits, then closes. Where the database stays away, gives up after so long. */
  close(limitMs: number): Promise<void>;
  stats(): { waiting: number; commits: number; records: number; commitMs: number };
}

export interface JournalOptions {
  url: string;
  owner: string;
  /** Batch numbers of the lanes; their count is the number of batches in flight at most. */
  batches: number[];
  maxWaiting: number;
  onTrouble(error: Error): void;
  onLateStart(record: StartRecord): void;
}

/** The group-commit journal: few lanes, each with one writer; all records of one execution keep their order. */
export function openJournal(options: JournalOptions): Journal {
  const { url, owner, onTrouble, onLateStart } = options;
  const lanes: Lane[] = options.batches.map((batch, lane) =>
    openLane({ url, lane, owner, batch, onTrouble, onLateStart }),
  );

  const laneFor = (executionId: string): Lane => lanes[laneOf(executionId, lanes.length)]!;

  return {
    append(record) {
      const lane = laneFor(executionOf(record));
      // Only a start can be refused: what already runs must be able to end.
      if (record.kind === "start" && lane.waiting() >= options.maxWaiting) {
        throw new ApiError(
          "OVERLOADED",
          "More starts are waiting than the server will hold; try again shortly.",
          {
            retryAfter: 1,
          },
        );
      }
      return new Promise((resolve, reject) => lane.append({ record, resolve, reject }));
    },
    takeInTurn: (turn) => laneFor(turn.executionId).takeInTurn(turn),
    drop: (executionId, reason) => laneFor(executionId).drop(executionId, reason),
    withholdEnd: (executionId) => laneFor(executionId).withholdEnd(executionId),
    async close(limitMs) {
      const timer = setTimeout(() => {
        for (const lane of lanes) lane.abandon();
      }, limitMs);
      await Promise.all(lanes.map((lane) => lane.close()));
      clearTimeout(timer);
    },
    stats() {
      const sum = { waiting: 0, commits: 0, records: 0, commitMs: 0 };
      for (const lane of lanes) {
        sum.waiting += lane.waiting();
        sum.commits += lane.spent.commits;
        sum.records += lane.spent.records;
        sum.commitMs += lane.spent.commitMs;
      }
      return sum;
    },
  };
}

/** The last digits of a UUIDv7 are random. */
function laneOf(executionId: string, lanes: number): number {
  return Number.parseInt(executionId.slice(-4), 16) % lanes;
}
