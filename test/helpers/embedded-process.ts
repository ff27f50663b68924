import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type EmbeddedProcess = {
  child: ChildProcess;
  url: string;
  /** Ends it as a power cut would end Pawl, and leaves its server behind. */
  kill(): Promise<void>;
};

const EMBEDDED = new URL("../../src/db/embedded.ts", import.meta.url).href;

const PROGRAM = `
  import { startEmbedded } from ${JSON.stringify(EMBEDDED)};
  const options = JSON.parse(process.argv[1]);
  try {
    const server = await startEmbedded(options);
    console.log(JSON.stringify({ url: server.url }));
    process.stdin.resume();
    process.stdin.on("end", () => server.stop());
  } catch (error) {
    console.log(JSON.stringify({ code: error.code, message: error.message }));
  }`;

/** Starts a process that runs the embedded server, as a Pawl would. Throws what it could not start for. */
export async function spawnEmbedded(
  options: { dataDir: string; disposable?: boolean },
  account: { uid?: number; gid?: number } = {},
): Promise<EmbeddedProcess> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", PROGRAM, JSON.stringify(options)], {
    ...account,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = await Promise.race([
    once(createInterface({ input: child.stdout! }), "line"),
    once(child, "close").then(([code]) => [`{"message":"it ended with ${code}"}`]),
  ]);
  const { url, code, message } = JSON.parse(line);
  if (url === undefined) throw Object.assign(new Error(message), { code });
  return {
    child,
    url,
    async kill() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
