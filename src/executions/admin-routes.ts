import type { FastifyInstance } from "fastify";
import type { Engine } from "../engine/engine.ts";
import { route } from "../http/route.ts";

/** Registers what an operator does to the engine. */
export function adminRoutes(app: FastifyInstance, engine: Engine): void {
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
