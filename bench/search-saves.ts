import type { Principal } from "../src/http/principal.ts";
import type { Jobs } from "../src/jobs/jobs.ts";
import { searchAll } from "../src/jobs/search.ts";
import { createJob } from "../src/jobs/write.ts";

const savers = 8;
const searchers = 2;
const milliseconds = 10_000;

/**
 * Saves jobs of three steps, one after the other in a few loops, while others search without a pause. Each save must be
 * found by the very next search; one that is not ends the benchmark.
 */
export async function saveUnderLoad(jobs: Jobs, by: Principal, search: (n: number) => Promise<unknown>) {
  const end = performance.now() + milliseconds;
  const taken: number[] = [];
  let searches = 0;
  const saving = Array.from({ length: savers }, async (_, saver) => {
    for (let i = 0; performance.now() < end; i++) {
      const name = `bench-saved-${saver}-${i}.`;
      const steps = ["one", "two", "three"].map((key) => ({
        key,
        name: `Set ${key} of the saved orders`,
        type: "set",
        input: { values: { n: i } },
      }));
      const start = performance.now();
      const { id } = await createJob(jobs, by, { name, description: "Saved while others search", steps });
      taken.push(performance.now() - start);
      const { rows } = await searchAll(jobs, by, "job", { searchText: name });
      if (rows.length !== 1 || rows[0]!.id !== id) throw new Error(`${name} was saved, and is not found.`);
    }
  });
  const searching = Array.from({ length: searchers }, async (_, searcher) => {
    for (let n = searcher; performance.now() < end; n++, searches++) await search(n);
  });
  await Promise.all([...saving, ...searching]);
  taken.sort((a, b) => a - b);
  const seconds = milliseconds / 1000;
  return {
    saved: taken.length,
    perSecond: taken.length / seconds,
    p50Ms: taken[Math.floor(taken.length * 0.5)]!,
    p95Ms: taken[Math.floor(taken.length * 0.95)]!,
    searchesPerSecond: searches / seconds,
  };
}
