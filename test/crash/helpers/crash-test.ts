import type pg from "pg";
import { createPool } from "../../../src/db/pool.ts";
import { createTestDatabase } from "../../helpers/database.ts";
import type { Outcome } from "../../helpers/pawl-command.ts";
import { type PawlHome, type PawlProcess, pawlHome } from "../../helpers/pawl-process.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { createLoad, type Load } from "./load.ts";
import { createRecords, type Records } from "./records.ts";

export interface CrashTest {
  home: PawlHome;
  pool: pg.Pool;
  ledger: Ledger;
  load: Load;
  records: Records;
  /** Puts a server under load, and answers how it ended; by SIGTERM when it lives on and on. */
  runToEnd(life: PawlProcess | Outcome): Promise<Outcome>;
  [Symbol.asyncDispose](): Promise<void>;
}

const longestLifeMs = 15_000;

/** A server's home on a test database (or the one given), with callers, a ledger and the comparison of all three. */
export async function openCrashTest(
  options: { databaseUrl?: string; pawlDatabaseUrl?: string; home?: PawlHome } = {},
): Promise<CrashTest> {
  await using opened = new AsyncDisposableStack();
  const databaseUrl = options.databaseUrl ?? opened.use(await createTestDatabase()).url;
  const pool = createPool({ url: databaseUrl, max: 2, applicationName: "test" });
  opened.defer(() => pool.end());
  const ledger = opened.use(await openLedger());
  const home = options.home ?? opened.use(pawlHome({ databaseUrl: options.pawlDatabaseUrl ?? databaseUrl }));
  const load = createLoad(ledger.url);
  const records = createRecords(pool, ledger, load);
  const parts = opened.move();
  return {
    home,
    pool,
    ledger,
    load,
    records,

    async runToEnd(life) {
      if ("code" in life) return life;
      const limit = setTimeout(() => void life.terminate(), longestLifeMs);
      await load.run(life, { count: 150, holding: true });
      const outcome = await life.ended;
      clearTimeout(limit);
      return outcome;
    },

    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
