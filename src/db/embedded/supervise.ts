import type { Log } from "../log.ts";
import type { Launched } from "./launch.ts";
import { keepLogBounded } from "./log-file.ts";
import { isAlive, signal } from "./processes.ts";

export type Supervised = {
  /** Ends the watch. Answers the server's process, or null when it is gone. */
  end(): Promise<number | null>;
};

type SuperviseOptions = {
  server: Launched;
  dataDir: string;
  restart: () => Promise<Launched>;
  log: Log;
  onLost: (error: Error) => void;
};

const LOOK_EVERY_MS = 500;
const RESTARTS = 5;
const RESTARTS_WITHIN_MS = 60_000;

/**
 * Brings the server back when it dies, on its port, so that the pool finds it again. A server that dies again and
 * again is given up. Looks at the process rather than waiting for a child's exit: an adopted one is not our child.
 */
export function supervise({ server, dataDir, restart, log, onLost }: SuperviseOptions): Supervised {
  const stopBounding = keepLogBounded(dataDir);
  const deaths: number[] = [];
  let pid: number | null = server.pid;
  let ended = false;
  let looking: Promise<void> = Promise.resolve();

  // A process that ends without `stop` leaves no server behind; after kill -9 the next start deals with it.
  const onExit = () => {
    if (pid !== null) signal([pid], "SIGINT");
  };
  process.on("exit", onExit);

  const timer = setInterval(() => {
    looking = looking.then(look);
  }, LOOK_EVERY_MS);
  timer.unref();

  async function look(): Promise<void> {
    if (ended || pid === null || (await isAlive(pid)) || ended) return;
    pid = null;
    const now = Date.now();
    deaths.push(now);
    if (deaths.filter((at) => at > now - RESTARTS_WITHIN_MS).length > RESTARTS) {
      return giveUp(new Error(`The database server died ${RESTARTS + 1} times in a minute.`));
    }
    log.error({}, "The database server died. Starting it again.");
    try {
      pid = (await restart()).pid;
      log.info({ pid }, "The database server is back.");
    } catch (error) {
      giveUp(error as Error);
    }
  }

  function giveUp(error: Error): void {
    clearInterval(timer);
    log.error({ err: error }, "The database server is lost.");
    onLost(error);
  }

  return {
    async end() {
      ended = true;
      clearInterval(timer);
      stopBounding();
      await looking;
      process.off("exit", onExit);
      return pid;
    },
  };
}
