import { Command, CommanderError } from "commander";
import manifest from "../../package.json" with { type: "json" };
import { addApiTemplate } from "./api-template.ts";
import { addAudit } from "./audit.ts";
import { addCertificate } from "./certificate.ts";
import { addCollection } from "./collection.ts";
import { addConfig } from "./config.ts";
import { addConnection } from "./connection.ts";
import { addControl } from "./control.ts";
import { addDataset } from "./dataset.ts";
import { addDemo } from "./demo.ts";
import { addDrain } from "./drain.ts";
import { addExecution } from "./execution.ts";
import { exitCodes } from "./exit.ts";
import { reportFailure } from "./failure.ts";
import { addFile } from "./file.ts";
import { addJob } from "./job.ts";
import { addMcp } from "./mcp.ts";
import { addMcpServer } from "./mcp-server.ts";
import { addPrincipal } from "./principal.ts";
import { addSearch } from "./search.ts";
import { addServe } from "./serve.ts";
import { addStart } from "./start.ts";
import { paint } from "./text.ts";
import { addToken } from "./token.ts";
import { addVar } from "./var.ts";
import { addVault } from "./vault.ts";
import { addWhoAmI } from "./whoami.ts";

/** Runs one command line and answers the exit code. Commands set `process.exitCode` where it is not 0. */
export async function runCommandLine(args: string[]): Promise<number> {
  const program = buildProgram();
  if (args.length === 0) {
    program.outputHelp();
    return exitCodes.ok.code;
  }
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(process.exitCode ?? exitCodes.ok.code);
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.ok.code : exitCodes.usage.code;
    }
    return reportFailure(error, args.includes("--json"));
  }
}

function buildProgram(): Command {
  const program = new Command("pawl")
    .description("Runs jobs made of steps, durably: what is done stays done, whatever crashes.")
    .version(manifest.version, "--version", "print the version")
    .option("--json", "print the result as JSON on standard output; messages go to standard error")
    .option("--url <url>", "the Pawl to talk to (or PAWL_URL)")
    .option("--token <token>", "API token; PAWL_TOKEN is better, since other users can see a command line")
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => paint("bold", title) })
    .showSuggestionAfterError()
    .showHelpAfterError("(--help says what there is)")
    .exitOverride();
  program.addHelpText("after", help());

  program.commandsGroup("Server:");
  addServe(program);
  addDemo(program);
  addConfig(program);
  addDrain(program);
  program.commandsGroup("Jobs:");
  addJob(program);
  addStart(program);
  addExecution(program);
  addControl(program);
  addSearch(program);
  addCollection(program);
  program.commandsGroup("What jobs use:");
  addConnection(program);
  addVar(program);
  addDataset(program);
  addFile(program);
  addCertificate(program);
  addApiTemplate(program);
  program.commandsGroup("Assistants:");
  addMcp(program);
  addMcpServer(program);
  program.commandsGroup("Access:");
  addToken(program);
  addPrincipal(program);
  addWhoAmI(program);
  addVault(program);
  addAudit(program);
  return program;
}

function help(): string {
  const codes = Object.values(exitCodes).map(({ code, means }) => `  ${String(code).padStart(3)}  ${means}`);
  return `
${paint("bold", "First steps:")}
  $ pawl serve                                      start Pawl (its own PostgreSQL included)
  $ pawl job apply examples/earthquakes.yaml        save a job written in YAML
  $ pawl start earthquakes --wait                   run it, and watch it run
  $ pawl execution list earthquakes                 what ran, and how it ended
  $ pawl execution list --status FAILED --since 1h  what failed in the last hour, of any job
  $ pawl search invoice                             find jobs, steps and collections
  $ pawl job list --json | jq '.[].name'            everything is there as JSON too

${paint("bold", "Exit codes:")}
${codes.join("\n")}

The token comes from --token, PAWL_TOKEN, or the admin token in PAWL_DATA_DIR when Pawl runs on this machine.
`;
}
