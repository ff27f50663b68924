import { setImmediate as turn } from "node:timers/promises";
import type pg from "pg";
import type { FilterRequest } from "../src/contract/search.ts";
import { searchExecutions } from "../src/executions/search.ts";
import { executionSearchStore } from "../src/executions/search-store.ts";
import type { Principal } from "../src/http/principal.ts";
import { createJobs } from "../src/jobs/jobs.ts";
import { searchAll } from "../src/jobs/search.ts";
import { set } from "../src/plugins/set/set.ts";
import { noSources } from "../test/helpers/no-sources.ts";
import { machineCpuSeconds, ownCpuSeconds, postmasterOf, treeCpuSeconds } from "./cpu.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { loadItems } from "./search-data.ts";
import { saveUnderLoad } from "./search-saves.ts";
import { benchDatabase } from "./setup.ts";
import { round, table } from "./table.ts";

export interface SearchOptions {
  items: number[];
  repeat: number;
}

const everyone: Principal = { id: "", name: "bench", authorities: ["*:*:*"], jobs: null, tokenId: "" };

type Ask = (n: number) => Omit<FilterRequest, "page" | "size">;
const where =
  (field: string, matchMode: string, value: (n: number) => unknown): Ask =>
  (n) =>
    ({ filters: { [field]: { operator: "and", constraints: [{ matchMode, value: value(n) }] } } }) as never;
const text =
  (words: (n: number) => string, sortBy = "id"): Ask =>
  (n) => ({ searchText: words(n), sortBy });
const things = ["orders", "invoices", "customers", "payments", "payroll", "ledger", "returns", "leads"];
const categories = ["finance", "sales", "operations", "support", "hr", "it"];
const pick = (list: string[], n: number) => list[n % list.length]!;
const day = (n: number) => new Date(Date.UTC(2026, 0, 1) + n).toISOString();

/** Values differ from one request to the next; `n` is a random number below the number of jobs, whose names are given. */
const selective = (name: (n: number) => string): Record<string, Ask> => ({
  "equals (name)": where("name", "equals", name),
  "equals (tag)": where("tags", "equals", () => "rare"),
  "equals (category)": where("category", "equals", () => "treasury"),
  contains: where("name", "contains", (n) => `-${n}`),
  startsWith: where("name", "startsWith", (n) => name(n).slice(0, -1).toUpperCase()),
  in: where("name", "in", (n) => Array.from({ length: 20 }, (_, i) => name(n + i))),
  between: where("updatedAt", "between", (n) => [day(n * 3000), day(n * 3000 + 60_000)]),
  "searchText, 1 word": text((n) => `-${n}`),
  "searchText, 2 words": text((n) => `sync -${String(n).slice(0, 4)}`),
  "relevance, 2 words": text((n) => `sync -${String(n).slice(0, 4)}`, "relevance"),
  "nothing, did you mean": text((n) => `${pick(["odrers", "invoces", "custmers"], n)} ${n}`),
});
const broad: Record<string, Ask> = {
  everything: () => ({}),
  equals: where("category", "equals", (n) => pick(categories, n)),
  contains: where("name", "contains", (n) => pick(things, n)),
  startsWith: where("name", "startsWith", (n) => pick(["fetch", "load", "Check", "wait"], n)),
  in: where("category", "in", (n) => categories.slice(n % 3, (n % 3) + 3)),
  between: where("updatedAt", "between", (n) => [day(0), day(100_000_000 + n)]),
  "searchText, 1 word": text((n) => pick(things, n)),
  "searchText, 2 words": text((n) => `fetch ${pick(things, n)}`),
  "searchText, 1 letter": text((n) => pick(["e", "s", "o"], n)),
  "relevance, 1 word": text((n) => pick(things, n), "relevance"),
  "by name, 1 word": text((n) => pick(things, n), "name"),
};
const past = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
const runs: Record<string, Ask> = {
  "FAILED, last hour": () => ({
    filters: {
      status: { operator: "and", constraints: [{ matchMode: "equals", value: "FAILED" }] },
      startTime: { operator: "and", constraints: [{ matchMode: "gte", value: past(1) }] },
    },
  }),
  "last 7 days, error text": (n) => ({
    filters: {
      error: {
        operator: "and",
        constraints: [{ matchMode: "contains", value: `answered ${400 + (n % 110)}` }],
      },
      startTime: { operator: "and", constraints: [{ matchMode: "gte", value: past(168) }] },
    },
  }),
  "FAILED, of all time": where("status", "equals", () => "FAILED"),
  "error text, of all time": where("error", "contains", () => "answered 503"),
};

/** Searches over this many things to find: what each costs with its count, at the first page and at the hundredth. */
export async function benchSearch({ items, repeat }: SearchOptions) {
  const machine = describeMachine();
  let postgres: Record<string, string> = {};
  const sizes = [];
  for (const count of items) {
    await using database = await benchDatabase();
    postgres = await describePostgres(database.pool);
    await loadItems(database.pool, count);
    const jobs = createJobs({ pool: database.pool, stepTypes: [set], ...noSources() });
    const history = executionSearchStore(database.pool);
    const jobCount = Math.round((count * 9) / 100);
    const memoryBefore = await residentMiB();
    const postmaster = postmasterOf(database.pgdata);
    const ofOthers = () => machineCpuSeconds() - ownCpuSeconds() - treeCpuSeconds(postmaster);
    const [began, before] = [performance.now(), ofOthers()];
    const measured: Measured[] = [];
    const measure = async (group: string, asks: Record<string, Ask>, find: Find) => {
      for (const [name, ask] of Object.entries(asks)) {
        const cells = [];
        for (const page of [0, 100])
          cells.push(await time(repeat, jobCount, (n) => find({ ...ask(n), page, size: 10 })));
        measured.push({ group, name, hits: cells[0]!.hits, first: cells[0]!, hundredth: cells[1]! });
      }
    };
    const anything: Find = async (request) => (await searchAll(jobs, everyone, "all", request)).total;
    const executions: Find = async (request) =>
      (await searchExecutions(history, everyone, request)).meta.totalElements;
    const names = await jobNames(database.pool);
    await measure(
      "selective",
      selective((n) => pick(names, n)),
      anything,
    );
    await measure("broad", broad, anything);
    await measure("executions", runs, executions);
    const memoryAfter = await residentMiB();
    const saves = await saveUnderLoad(jobs, everyone, (n) =>
      anything({ searchText: pick(things, n), page: 0, size: 10 }),
    );
    const others = (ofOthers() - before) / ((performance.now() - began) / 1000);
    sizes.push({ items: count, measured, memoryBefore, memoryAfter, saves, others });
  }
  return { benchmark: "search", machine, postgres, options: { items, repeat }, sizes };
}

async function jobNames(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>("select name from job order by md5(name) limit 1000");
  return rows.map(({ name }) => name);
}

type Find = (request: FilterRequest) => Promise<number>;
type Timed = { hits: number; p50Ms: number; p95Ms: number };
type Measured = { group: string; name: string; hits: number; first: Timed; hundredth: Timed };

async function time(repeat: number, range: number, once: (n: number) => Promise<number>): Promise<Timed> {
  const random = generator(7);
  for (let i = 0; i < 3; i++) await once(Math.floor(random() * range));
  const taken: number[] = [];
  const hits: number[] = [];
  for (let i = 0; i < repeat; i++) {
    const n = Math.floor(random() * range);
    const start = performance.now();
    hits.push(await once(n));
    taken.push(performance.now() - start);
  }
  taken.sort((a, b) => a - b);
  hits.sort((a, b) => a - b);
  const at = (share: number) => taken[Math.min(repeat - 1, Math.floor(repeat * share))]!;
  return { hits: hits[Math.floor(repeat / 2)]!, p50Ms: at(0.5), p95Ms: at(0.95) };
}

/** The same numbers at every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

async function residentMiB(): Promise<number> {
  globalThis.gc?.();
  await turn();
  return process.memoryUsage().rss / 2 ** 20;
}

export function printSearch({ sizes }: Awaited<ReturnType<typeof benchSearch>>): string {
  return sizes
    .map(({ items, measured, memoryBefore, memoryAfter, saves, others }) => {
      const rows = measured.map(({ group, name, hits, first, hundredth }) => [
        group,
        name,
        hits,
        round(first.p50Ms, 1),
        round(first.p95Ms, 1),
        round(hundredth.p50Ms, 1),
        round(hundredth.p95Ms, 1),
      ]);
      const columns = ["", "", "hits", "page 0 p50 ms", "p95", "page 100 p50 ms", "p95"];
      return [
        `${items} items, ${items} executions; others used ${round(others, 2)} cores meanwhile`,
        table(columns, rows),
        `memory of the process: ${round(memoryBefore)} MiB before the searches, ${round(memoryAfter)} MiB after`,
        `saves with searches running: ${round(saves.perSecond)} a second, p50 ${round(saves.p50Ms, 1)} ms, p95 ${round(saves.p95Ms, 1)} ms, ` +
          `${saves.saved} made and each found at once; ${round(saves.searchesPerSecond)} searches a second beside them`,
      ].join("\n\n");
    })
    .join("\n\n");
}
