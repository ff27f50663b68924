import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The whole server, with its defaults or `env`, in a process of its own on a free port; its log goes nowhere. */
export async function startServer(databaseUrl: string, env: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "pawl-bench-"));
  const child = fork(fileURLToPath(new URL("http-server.ts", import.meta.url)), {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      PAWL_DATA_DIR: dataDir,
      PAWL_PORT: "0",
      ...env,
    },
  });
  const exit = once(child, "exit");
  const message = await Promise.race([
    once(child, "message"),
    exit.then(([code]) => Promise.reject(new Error(`The server ended with ${code} before it was ready.`))),
  ]);
  const { url, token } = message[0] as { url: string; token: string };
  const gone = async () => {
    await exit;
    await rm(dataDir, { recursive: true, force: true });
  };
  return {
    url,
    /** Only the first server on a database has one. */
    token,
    pid: child.pid!,
    /** Ends it as a power cut would. */
    async kill() {
      child.kill("SIGKILL");
      await gone();
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect();
      await gone();
    },
  };
}
