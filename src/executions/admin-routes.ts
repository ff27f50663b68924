import type { FastifyInstance } from "fastify";
import type { EngineState } from "../contract/engine-state.ts";
import { ApiError } from "../contract/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { route } from "../http/route.ts";

/** Registers what an operator sees of the engine, and does to it. */
export function adminRoutes(app: FastifyInstance, engine: Engine, version: string): void {
  const startedAt = new Date().toISOString();
  route(app, "readEngine", () => ({
    data: { ...stateOf(engine), ...engine.stats(), version, startedAt },
    message: "The engine of this process.",
  }));
  route(app, "drain", () => {
    engine.drain();
    const { running } = engine.stats();
    const message =
      running === 0
        ? "Drained: no step is under way, and none begins. The process may end."
        : `Draining: ${running} executions have a step under way; no new step begins.`;
    return { data: { draining: true, running }, message };
  });
}

function stateOf(engine: Engine): Pick<EngineState, "state" | "reason"> {
  try {
    engine.check();
    return { state: "running", reason: null };
  } catch (error) {
    if (error instanceof ApiError && error.code === "OVERLOADED")
      return { state: "draining", reason: error.message };
    // What a driver says of hosts and users stays in the log.
    const reason =
      error instanceof ApiError ? error.message : "The engine takes no work. The log has the reason.";
    return { state: "failing", reason };
  }
}
