import { parseArgs } from "node:util";
import { chaos } from "./run.ts";

// npm run chaos [-- --executions 5000 --per-second 15 --seed 1 --outages-only]

const { values } = parseArgs({
  options: {
    executions: { type: "string", default: "5000" },
    "per-second": { type: "string", default: "15" },
    // A server that is killed forgets what an outage did to it; one that lives has to get over it.
    "outages-only": { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
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
