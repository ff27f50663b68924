import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { ApiError } from "../../contract/errors.ts";
import { isStoreUnavailable } from "../../db/faults.ts";
import { failpoint } from "../../lib/failpoint.ts";
import { isPlanted } from "../../lib/plant.ts";
import { executionOf, type JournalRecord, type StartRecord } from "./records.ts";
import { batchValues, commitBatch } from "./statement.ts";

/** What is asked of a lane: a record, and how to tell its writer. `made`: false for a start that was refused. */
export interface Entry {
  record: JournalRecord;
  resolve(made: boolean): void;
  reject(error: unknown): void;
}

/**
 * Work that must look before it writes (a stop, a pause): a transaction of its own, in its turn among the records of its
 * execution. What it throws rolls it back and goes to its caller.
 */
export interface Turn<T = unknown> {
  executionId: string;
  /** A run asks for it, nobody waits for its answer: like the record of a step it is done when the database is back. */
  lasting?: boolean;
  work(client: pg.ClientBase): Promise<T>;
  /** Finds what `work` answered, when it was committed but the answer was lost with the connection. */
  recall(client: pg.ClientBase): Promise<T>;
  /** Called as soon as it is known to be committed, before any later record of the lane is sent. */
  onCommit(value: T): void;
}

interface TurnEntry {
  turn: Turn;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Thrown when another process has taken the executions over: this one may write nothing more. */
export class FencedError extends Error {
  override readonly name = "FencedError";
  constructor() {
    super(
      "Another Pawl process has taken over the executions of this database; this one writes nothing more.",
    );
  }
}

export interface LaneOptions {
  url: string;
  lane: number;
  owner: string;
  /** The batch number that the lane's row holds now. */
  batch: number;
  onTrouble(error: Error): void;
  /** A start was committed after all, whose caller had been told that the database is away. */
  onLateStart(record: StartRecord): void;
}

const maxBatch = 2_000;
const retryDelaysMs = [10, 50, 200, 500, 1_000];
/** After this callers of starts and turns are told; the records of what runs wait as long as it takes. */
const patienceMs = 3_000;
/** A connection that is silent for so long is given up: a network can break without telling either side. */
const silenceMs = 10_000;

/**
 * One writer with one connection. It takes all that waits, writes it in one statement, and answers every caller when that
 * commit is durable; what arrives meanwhile is the next batch. A lone caller pays one round trip.
 */
export function openLane(options: LaneOptions) {
  let waiting: (Entry | TurnEntry)[] = [];
  let client: pg.Client | undefined;
  let { batch } = options;
  let running: Promise<void> | undefined;
  let closed = false;
  let away = false;
  const spent = { commits: 0, records: 0, commitMs: 0 };

  function append(entry: Entry): void {
    if (away && entry.record.kind === "start") {
      entry.reject(storeAway());
      return;
    }
    waiting.push(entry);
    running ??= drain();
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      // Once this turn's tasks have run: what they append goes into the same batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
      const entries = takeRecords();
      if (entries.length > 0) await write(entries);
      else if (waiting.length > 0) await takeTurn(waiting.shift() as TurnEntry);
    }
    running = undefined;
  }

  /** The records up to the next turn. */
  function takeRecords(): Entry[] {
    const end = waiting.findIndex((entry, i) => i === maxBatch || "turn" in entry);
    const entries = end === -1 ? waiting : waiting.slice(0, end);
    waiting = end === -1 ? [] : waiting.slice(end);
    return entries as Entry[];
  }

  async function takeTurn({ turn, resolve, reject }: TurnEntry): Promise<void> {
    const patience = setTimeout(() => {
      tellStarts([], new Set());
      if (!turn.lasting) reject(storeAway());
    }, patienceMs);
    try {
      const value = await exactlyOnce(async (client, number) => {
        await client.query("begin");
        try {
          const owned = await client.query(
            "update journal_lane set batch = $2 where lane = $1 and owner = $3 and batch = $2 - 1",
            [options.lane, number, options.owner],
          );
          if (owned.rowCount === 0) throw new FencedError();
          const answer = await turn.work(client);
          failpoint("turn.before-commit");
          await client.query("commit");
          failpoint("turn.after-commit");
          return answer;
        } catch (error) {
          await client.query("rollback").catch(() => undefined);
          throw error;
        }
      }, turn.recall);
      turn.onCommit(value);
      resolve(value);
    } catch (error) {
      reject(error);
    } finally {
      clearTimeout(patience);
    }
  }

  /** Writes the entries for good, however often the database goes away meanwhile, and answers them. */
  async function write(entries: Entry[]): Promise<void> {
    const told = new Set<Entry>();
    const patience = setTimeout(() => tellStarts(entries, told), patienceMs);
    if (isPlanted("journal.answer-before-commit")) {
      for (const entry of entries) entry.resolve(true);
      await delay(50);
    }
    try {
      const started = await commit(entries).finally(() => clearTimeout(patience));
      for (const entry of entries) {
        const { record } = entry;
        const made = record.kind !== "start" || started.has(record.execution.id);
        if (!told.has(entry)) entry.resolve(made);
        else if (made && record.kind === "start") options.onLateStart(record);
      }
    } catch (error) {
      if (entries.length === 1 || error instanceof FencedError || closed) {
        for (const entry of entries) entry.reject(error);
        return;
      }
      // One record that the database refuses must not take the others with it.
      for (const entry of entries) await write([entry]);
    }
  }

  /** Commits one batch; answers the ids of the executions it started. */
  function commit(entries: Entry[]): Promise<Set<string>> {
    const records = entries.map((entry) => entry.record);
    return exactlyOnce(
      async (client, number) => {
        const values = batchValues(options.lane, number, options.owner, records);
        failpoint("journal.before-commit");
        const begun = performance.now();
        const { rows } = await client.query<{ started: string[] }>({
          name: "commit",
          text: commitBatch,
          values,
        });
        failpoint("journal.after-commit");
        spent.commitMs += performance.now() - begun;
        spent.commits++;
        spent.records += records.length;
        return new Set(rows[0]!.started);
      },
      (client) => startedAmong(client, records),
    );
  }

  /**
   * Does the next numbered write, however often the connection is lost meanwhile: the number tells whether it was
   * committed.
   */
  async function exactlyOnce<T>(
    work: (client: pg.Client, number: number) => Promise<T>,
    recall: (client: pg.Client) => Promise<T>,
  ): Promise<T> {
    let number = batch + 1;
    let outrun = false;
    for (let attempt = 0; ; attempt++) {
      try {
        client ??= await connect(options.url);
        if (isPlanted("journal.no-fence")) number = await becomeOwner(client);
        const committed = attempt > 0 && (await isCommitted(client, number));
        const value = committed ? await recall(client) : await work(client, number);
        batch = number;
        away = false;
        return value;
      } catch (error) {
        // The same write of an earlier connection, which the server still had under way, may have come first: look again.
        if (isFence(error) && attempt > 0 && !outrun) {
          outrun = true;
          continue;
        }
        if (isFence(error)) throw new FencedError();
        if (!isStoreUnavailable(error) || closed) {
          // It was reached, if only to refuse this.
          away = false;
          throw error;
        }
        options.onTrouble(error as Error);
        await client?.end().catch(() => undefined);
        client = undefined;
        await delay(retryDelaysMs[Math.min(attempt, retryDelaysMs.length - 1)]);
      }
    }
  }

  /** Nobody waits for a start or a turn longer than this: those not yet sent are dropped, the others may still come to be. */
  function tellStarts(underWay: Entry[], told: Set<Entry>): void {
    away = true;
    const dropped = waiting.filter((entry) => !isLasting(entry));
    waiting = waiting.filter(isLasting);
    for (const entry of underWay) {
      if (entry.record.kind === "start") told.add(entry);
    }
    for (const entry of [...dropped, ...told]) entry.reject(storeAway());
  }

  /** What `plant("journal.no-fence")` does instead of minding who the owner is. */
  async function becomeOwner(on: pg.Client): Promise<number> {
    const { rows } = await on.query("select owner::text, batch::text from journal_lane where lane = $1", [
      options.lane,
    ]);
    options.owner = rows[0]!.owner;
    return Number(rows[0]!.batch) + 1;
  }

  async function isCommitted(on: pg.Client, number: number): Promise<boolean> {
    const { rows } = await on.query<{ owner: string; batch: string }>(
      "select owner::text, batch::text from journal_lane where lane = $1",
      [options.lane],
    );
    if (rows[0]?.owner !== options.owner) throw new FencedError();
    return Number(rows[0].batch) === number;
  }

  return {
    append,
    takeInTurn<T>(turn: Turn<T>): Promise<T> {
      if (away && !turn.lasting) return Promise.reject(storeAway());
      return new Promise<T>((resolve, reject) => {
        waiting.push({ turn, resolve, reject } as unknown as TurnEntry);
        running ??= drain();
      });
    },
    /** Takes back the records of an execution that are not sent yet. For `onCommit`. */
    drop(executionId: string, reason: unknown): void {
      const mine = waiting.filter((entry) => isOf(entry, executionId));
      waiting = waiting.filter((entry) => !isOf(entry, executionId));
      for (const entry of mine) entry.reject(reason);
    },
    /** Keeps results that are not sent yet from ending their execution. For `onCommit`. */
    withholdEnd(executionId: string): void {
      for (const entry of waiting) {
        if (!isOf(entry, executionId) || entry.record.kind !== "step") continue;
        if (entry.record.record.kind === "result") delete entry.record.record.ends;
      }
    },
    async close(): Promise<void> {
      await running;
      closed = true;
      await client?.end().catch(() => undefined);
    },
    /** Lets go of records that can't be written; for a process that must end while the database is away. */
    abandon(): void {
      closed = true;
    },
    waiting: () => waiting.length,
    spent,
  };
}

export type Lane = ReturnType<typeof openLane>;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "pawl-journal",
    connectionTimeoutMillis: 5_000,
    query_timeout: silenceMs,
    keepAlive: true,
  });
  // The query under way fails by itself; without a listener the process would end.
  client.on("error", () => undefined);
  await client.connect();
  // The plan is made once, on tables that may be empty then: only index look-ups stay right as they grow.
  await client.query(
    "set plan_cache_mode = force_generic_plan; set enable_hashjoin = off; set enable_mergejoin = off; set enable_seqscan = off; set jit = off",
  );
  return client;
}

async function startedAmong(client: pg.Client, records: JournalRecord[]): Promise<Set<string>> {
  const starts = records.flatMap((record) => (record.kind === "start" ? [record.execution] : []));
  // By the workflow's id too: an earlier start may have taken the id of a refused one.
  const { rows } = await client.query<{ id: string }>(
    "select id::text from execution join unnest($1::uuid[], $2::uuid[]) as start (id, workflow_id) using (id, workflow_id)",
    [starts.map(({ id }) => id), starts.map(({ workflowId }) => workflowId)],
  );
  return new Set(rows.map((row) => row.id));
}

/** What runs has to be able to go on and to end, however long the database was away. */
function isLasting(entry: Entry | TurnEntry): boolean {
  return "turn" in entry ? entry.turn.lasting === true : entry.record.kind !== "start";
}

function isOf(entry: Entry | TurnEntry, executionId: string): entry is Entry {
  return "record" in entry && executionOf(entry.record) === executionId;
}

function storeAway(): ApiError {
  return new ApiError("STORE_UNAVAILABLE", "The database can't be reached just now; try again shortly.", {
    retryAfter: 2,
  });
}

function isFence(error: unknown): boolean {
  return error instanceof FencedError || (error as { code?: string }).code === "22012";
}
