import Type, { type Static } from "typebox";
import { Nullable, OneOf, Timestamp } from "./shapes.ts";

export const EngineState = Type.Object({
  state: OneOf(["running", "draining", "failing"], {
    description: "draining: begins no new step; failing: takes no work, and the reason says why.",
  }),
  reason: Nullable(Type.String()),
  running: Type.Integer({ description: "Executions with a step under way." }),
  queued: Type.Integer({ description: "Executions that are ready and wait for their turn." }),
  version: Type.String({ description: "Of Pawl." }),
  startedAt: Timestamp,
});
export type EngineState = Static<typeof EngineState>;
