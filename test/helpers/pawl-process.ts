import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type Client, createClient } from "../../src/client/client.ts";
import { removeEmbedded } from "../../src/db/remove-embedded.ts";
import { type Outcome, spawnPawl } from "./pawl-command.ts";
import { scratchRoot } from "./scratch.ts";

/** One life of a server: from its start to its end, in order or not. */
export interface PawlProcess {
  pid: number;
  url: string;
  token: string;
  client: Client;
  /** How many unfinished executions it took over at its start. */
  resumed: number;
  ended: Promise<Outcome>;
  /** Resolves once a line of its output matches; rejects when it ends before. */
  until(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Resolves as the promise does; rejects, with its output, when the server ends before. */
  whileUp<T>(promise: Promise<T>): Promise<T>;
  /** kill -9, as a power cut would end it. */
  kill(): Promise<Outcome>;
  /** SIGTERM, and then what `pawl serve` does about it. */
  terminate(): Promise<Outcome>;
}

/** A place where Pawl is started again and again on the same data. */
export interface PawlHome {
  dataDir: string;
  /** The warnings and errors that its servers, those that have ended, have logged. */
  log(): LogLine[];
  /** Starts `pawl serve` and answers when it is ready; rejects, with its output, when it ends before. */
  start(env?: Record<string, string>): Promise<PawlProcess>;
  /** The same for one that may end before it is ready: then how it ended. */
  startOrEnd(env?: Record<string, string>): Promise<PawlProcess | Outcome>;
  [Symbol.asyncDispose](): Promise<void>;
}

interface LogLine {
  level: number;
  msg: string;
  err?: { message: string; code?: string };
}

const masterKey = randomBytes(32).toString("base64");

/** A data directory of its own, on the given database or, without one, with an embedded PostgreSQL. */
export function pawlHome({ databaseUrl }: { databaseUrl?: string } = {}): PawlHome {
  const dataDir = mkdtempSync(join(scratchRoot(), "pawl-process-"));
  // The account that runs the embedded PostgreSQL may pass, so that nothing is put outside the folder.
  chmodSync(dataDir, 0o711);
  const lives: { pid: number; output: string }[] = [];
  const running = new Set<PawlProcess["kill"]>();

  function spawn(env: Record<string, string> = {}) {
    const command = spawnPawl(["serve"], {
      env: {
        NODE_ENV: "test",
        PAWL_DATA_DIR: dataDir,
        PAWL_PORT: "0",
        PAWL_LOG_FORMAT: "json",
        PAWL_LOG_LEVEL: "warn",
        // Given, as to every Pawl that shares its database with others; one that is made is warned of.
        PAWL_MASTER_KEY: masterKey,
        ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        ...env,
      },
    });
    const kill = () => {
      command.process.kill("SIGKILL");
      return command.ended;
    };
    running.add(kill);
    // Also when the test never comes to its end.
    process.once("exit", kill);
    void command.ended.then(({ stdout }) => {
      running.delete(kill);
      process.off("exit", kill);
      lives.push({ pid: command.process.pid!, output: stdout });
    });
    return { ...command, kill };
  }

  async function ready(command: ReturnType<typeof spawn>): Promise<PawlProcess> {
    const [, url] = await command.until(/Pawl is ready at (\S+)/);
    const [, resumed] = await command.until(/Goes on with +(\d+)|()Ctrl-C ends it/);
    const token = readFileSync(join(dataDir, "admin-token"), "utf8").trim();
    return {
      pid: command.process.pid!,
      url: url!,
      token,
      client: createClient({ url: url!, token }),
      resumed: Number(resumed ?? 0),
      ended: command.ended,
      until: command.until,
      whileUp: (promise) =>
        Promise.race([
          promise,
          command.ended.then((outcome) => {
            throw new Error(`Pawl ended: ${JSON.stringify(outcome)}`);
          }),
        ]),
      kill: command.kill,
      terminate() {
        command.process.kill("SIGTERM");
        return command.ended;
      },
    };
  }

  return {
    dataDir,
    log: () =>
      lives.flatMap(({ output }) =>
        output
          .split("\n")
          .filter((line) => line.startsWith("{"))
          .map((line) => JSON.parse(line)),
      ),

    start: (env) => ready(spawn(env)),
    startOrEnd(env) {
      const command = spawn(env);
      return Promise.race([ready(command), command.ended]).catch(() => command.ended);
    },

    async [Symbol.asyncDispose]() {
      await Promise.all([...running].map((kill) => kill()));
      await removeEmbedded(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
