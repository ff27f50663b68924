import type { FastifyInstance } from "fastify";
import { ApiError } from "../contract/errors.ts";
import type { Engine } from "../engine/engine.ts";
import { route } from "../http/route.ts";

/** Registers what an operator does to the engine. Answers the check that readiness asks: it fails once the engine drains. */
export function adminRoutes(app: FastifyInstance, engine: Engine): { drainCheck(): Promise<void> } {
  let draining = false;
  route(app, "drain", () => {
    draining = true;
    engine.drain();
    const { running } = engine.stats();
    const message =
      running === 0
        ? "Drained: no step is under way, and none begins. The process may end."
        : `Draining: ${running} executions have a step under way; no new step begins.`;
    return { data: { draining: true, running }, message };
  });
  return {
    async drainCheck() {
      if (draining) throw new ApiError("OVERLOADED", "Pawl is draining: no new step begins here.");
    },
  };
}
