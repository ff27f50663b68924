import { parseArgs } from "node:util";
import { chaos } from "./run.ts";

const usage = `Runs executions in mixed states while the server is killed every 0.5 to 3 s and its PostgreSQL is stopped every 5 to 20 s,
then compares what is recorded with what the callers were answered and with the ledger of a process of its own.
Ends with 1 when anything was lost, doubled, forgotten or told untruly, or when less than 95 % of the requests that no fault touched
were answered.

npm run chaos [-- options]

  --executions <n>   how many (5000: some 10 minutes)
  --per-second <n>   how many are begun a second, at most (15)
  --outages-only     the server is not killed: it has to get over outages of 0.5 to 5 s, every 1 to 4 s
  --seed <n>         repeats what was tried; what came of it depends on time too
  --help             this text`;

const { values } = parseArgs({
  options: {
    executions: { type: "string", default: "5000" },
    "per-second": { type: "string", default: "15" },
    // A server that is killed forgets what an outage did to it; one that lives has to get over it.
    "outages-only": { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const seed = Number(values.seed);
const outagesOnly = values["outages-only"];
console.log(`seed ${seed}`);
const report = await chaos({
  seed,
  executions: Number(values.executions),
  perSecond: Number(values["per-second"]),
  // More would be a crowd that nobody could serve in the half second until the next kill.
  atATime: 40,
  killEvery: outagesOnly ? [1e9, 1e9] : [500, 3_000],
  stopEvery: outagesOnly ? [1_000, 4_000] : [5_000, 20_000],
  stopFor: outagesOnly ? [500, 5_000] : [0, 2_000],
  patienceMs: 120_000,
  progress: (line) => console.log(line),
});
const { dump, ...figures } = report;
console.log(JSON.stringify(figures, undefined, 2));
if (report.wrongs.length > 0) console.log(JSON.stringify(dump));
process.exitCode = report.wrongs.length > 0 || (report.live ?? 1) < 0.95 ? 1 : 0;
