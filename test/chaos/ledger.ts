import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The world outside Pawl: writes down every call of a step, with its Idempotency-Key and its time. */
export async function spawnLedger() {
  const program = fileURLToPath(new URL("ledger-process.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    /** The times at which each key was called, in order. */
    async calls(): Promise<Map<string, number[]>> {
      const all = (await (await fetch(`${url}/ledger`)).json()) as [string, number][];
      const found = new Map<string, number[]>();
      for (const [key, at] of all) {
        const times = found.get(key);
        if (times) times.push(at);
        else found.set(key, [at]);
      }
      return found;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await once(child, "exit");
    },
  };
}
