import type { FastifyInstance } from "fastify";
import { ApiError } from "../contract/errors.ts";
import { route } from "./route.ts";

/** Resolves when the part can take work; rejects with the reason when it can't. */
export type Check = () => Promise<unknown>;

const LIMIT_MS = 2_000;

/** `/health/live` and `/health/ready`. */
export function healthRoutes(app: FastifyInstance, checks: Record<string, Check>): void {
  route(app, "live", () => ({ body: { status: "ok" } }));

  route(app, "ready", async ({ log }) => {
    const results = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => ({ name, fault: await faultOf(check) })),
    );
    const failed = results.filter(({ fault }) => fault !== null);
    if (failed.length > 0) throw notReady(failed, log);
    return { body: { status: "ok", checks: Object.fromEntries(results.map(({ name }) => [name, "ok"])) } };
  });
}

type Failed = { name: string; fault: unknown };

function notReady(failed: Failed[], log: { warn(fields: object, message: string): void }): ApiError {
  for (const { name, fault } of failed) log.warn({ check: name, err: fault }, "A readiness check failed.");
  const [first] = failed;
  const code =
    first!.fault instanceof ApiError && first!.fault.code === "OVERLOADED"
      ? "OVERLOADED"
      : "STORE_UNAVAILABLE";
  return new ApiError(code, `Not ready: ${failed.map(({ name }) => name).join(", ")}.`, {
    details: failed.map(({ name, fault }) => ({ path: `checks/${name}`, message: reason(fault) })),
  });
}

/** Anyone may ask whether we are ready: what a driver says of hosts and users stays in the log. */
function reason(fault: unknown): string {
  if (fault instanceof ApiError) return fault.message;
  return fault === timedOut
    ? `did not answer within ${LIMIT_MS / 1000} seconds.`
    : "failed; the log has the reason.";
}

const timedOut = Symbol("timed out");

async function faultOf(check: Check): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, LIMIT_MS, timedOut);
  });
  try {
    return await Promise.race([check().then(() => null), limit]);
  } catch (fault) {
    return fault ?? new Error("The check failed without a reason.");
  } finally {
    clearTimeout(timer);
  }
}
