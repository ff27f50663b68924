import { setTimeout as delay } from "node:timers/promises";
import { Pool } from "undici";

export interface Starter {
  /** Starts the job and answers true, or false when the server asked us to come again; that wait is over then. */
  start(): Promise<boolean>;
  close(): Promise<void>;
}

/** So many keep-alive connections that start one job. */
export function openStarter(given: {
  url: string;
  token: string;
  jobId: string;
  sync: boolean;
  connections: number;
}): Starter {
  const pool = new Pool(given.url, { connections: given.connections, pipelining: 1 });
  const body = JSON.stringify({ jobId: given.jobId, async: !given.sync });
  const headers = { authorization: `Bearer ${given.token}`, "content-type": "application/json" };
  const expected = given.sync ? "COMPLETED" : "RUNNING";
  return {
    async start() {
      const answer = await pool.request({ method: "POST", path: "/api/v2/job/start", headers, body });
      const text = await answer.body.text();
      if (answer.statusCode === 503) {
        await delay(Number(answer.headers["retry-after"] ?? 1) * 1000);
        return false;
      }
      if (answer.statusCode !== 200 || (JSON.parse(text) as { status: string }).status !== expected) {
        throw new Error(`A start answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      }
      return true;
    },
    close: () => pool.close(),
  };
}
