import { writeFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import type { ControlOptions } from "./control.ts";
import type { Machine } from "./machine.ts";
import type { VaultOptions } from "./vault.ts";

const program = new Command("npm run bench --")
  .description("Named benchmarks. Each prints a table; bench/README.md says how to read it.")
  .showHelpAfterError()
  .addHelpText(
    "after",
    `
Examples:
  $ npm run bench -- engine
  $ npm run bench -- engine --in-flight 64 --seconds 120
  $ npm run bench -- http --json http.json
  $ npm run bench -- mcp --in-flight 1,16
  $ npm run bench -- discovery
  $ npm run bench -- peers
  $ npm run bench -- search --items 1000000
  $ npm run bench -- control
  $ npm run bench -- vault`,
  );

function benchmark(name: string, about: string, inFlight = [1, 64, 256]): Command {
  return program
    .command(name)
    .description(about)
    .option("--in-flight <list>", "executions in flight (http: connections), one run each", counts, inFlight)
    .option("--seconds <n>", "length of each run, after its warm-up", seconds, 10)
    .option("--warm-up <n>", "seconds before it counts", seconds, 3)
    .option("--repeat <n>", "how often to go through all runs", positive, 1)
    .option("--json <file>", "write all figures there too");
}

interface Options {
  inFlight: number[];
  seconds: number;
  warmUp: number;
  repeat: number;
  json?: string;
}

const shared = ({ inFlight, seconds, warmUp, repeat }: Options) => ({
  inFlight,
  seconds,
  warmUpSeconds: warmUp,
  repeat,
});

benchmark("engine", "executions a second in process, on a fresh durable database").action(
  async (options: Options) => {
    const { benchEngine, printEngine } = await import("./engine.ts");
    const result = await benchEngine(shared(options));
    await report(options, result, printEngine(result));
  },
);

benchmark("http", "starts a second over HTTP on the whole server: sync, and async to completion").action(
  async (options: Options) => {
    const { benchHttp, printHttp } = await import("./http.ts");
    const result = await benchHttp(shared(options));
    await report(options, result, printHttp(result));
  },
);

benchmark("mcp", "tools/list and start_job a second over MCP, in both eras, on the whole server").action(
  async (options: Options) => {
    const { benchMcp, printMcp } = await import("./mcp.ts");
    const result = await benchMcp(shared(options));
    await report(options, result, printMcp(result));
  },
);

benchmark(
  "peers",
  "the same work on Pawl, DBOS Transact and Restate, in turn; installs the peers when asked first",
  [64],
)
  .option("--dbos-pool <n>", "connections of DBOS to its system database", positive, 10)
  .option("--restate-partitions <list>", "partitions of the Restate server, one run each", counts, [24, 1])
  .action(async (options: Options & { dbosPool: number; restatePartitions: number[] }) => {
    const { benchPeers, printPeers } = await import("./peers.ts");
    const { dbosPool, restatePartitions } = options;
    const result = await benchPeers({ ...shared(options), dbosPool, restatePartitions });
    await report(options, result, printPeers(result));
  });

program
  .command("discovery")
  .description("how long it takes to discover an MCP server")
  .option("--repeat <n>", "how often each", positive, 100)
  .option("--json <file>", "write all figures there too")
  .action(async (options: { repeat: number; json?: string }) => {
    const { benchDiscovery, printDiscovery } = await import("./discovery.ts");
    const result = await benchDiscovery(options);
    await report(options, result, printDiscovery(result));
  });

program
  .command("search")
  .description("searches over many things to find, and saves while others search")
  .option("--items <list>", "how many things to find, one run each", counts, [10_000, 1_000_000])
  .option("--repeat <n>", "how often to ask each", positive, 40)
  .option("--json <file>", "write all figures there too")
  .action(async (options: { items: number[]; repeat: number; json?: string }) => {
    const { benchSearch, printSearch } = await import("./search.ts");
    const result = await benchSearch(options);
    await report(options, result, printSearch(result));
  });

program
  .command("control")
  .description("recovery after a kill, parked executions, a stop, and reading beside a long history")
  .option("--running <n>", "steps under way when the server is killed", positive, 10_000)
  .option("--parked <n>", "executions that wait", positive, 100_000)
  .option("--stops <n>", "steps to stop, one after another", positive, 300)
  .option("--history <n>", "executions of the job with the long history", positive, 1_000_000)
  .option("--json <file>", "write all figures there too")
  .action(async (options: ControlOptions & { json?: string }) => {
    const { benchControl, printControl } = await import("./control.ts");
    const { running, parked, stops, history } = options;
    const result = await benchControl({ running, parked, stops, history });
    await report(options, result, printControl(result));
  });

program
  .command("vault")
  .description(
    "sealing, decrypted fetches, saves, and a rotation of all keys while requests are served and after a kill",
  )
  .option("--values <n>", "sealed values that rotate", positive, 100_000)
  .option("--requests <n>", "requests a second meanwhile", positive, 200)
  .option("--in-flight <list>", "callers of fetches and saves, one run each", counts, [1, 16])
  .option("--seconds <n>", "length of each run", seconds, 10)
  .option("--json <file>", "write all figures there too")
  .action(async ({ json, ...options }: VaultOptions & { json?: string }) => {
    const { benchVault, printVault } = await import("./vault.ts");
    const result = await benchVault(options);
    await report({ ...(json ? { json } : {}) }, result, printVault(result));
  });

await program.parseAsync();

async function report(
  options: { json?: string },
  result: { machine: Machine; postgres: Record<string, string> },
  text: string,
): Promise<void> {
  const { machine, postgres } = result;
  const settings = Object.entries(postgres).map(([name, value]) => `${name} ${value}`);
  console.log(
    `\n${machine.date} · Node ${machine.node} · ${machine.cores} cores (${machine.cpu}), ${machine.memoryGiB} GiB · ` +
      `load before ${machine.loadBefore}, fdatasync ${machine.syncMs} ms\nPostgreSQL: ${settings.join(", ")}\n\n${text}\n`,
  );
  if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError("Give a whole number from 1.");
  return value;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError("Give a number of seconds above 0.");
  return value;
}

function counts(text: string): number[] {
  return text.split(",").map(positive);
}
