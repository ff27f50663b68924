import Type from "typebox";
import { defineStepType, type InputFault, StartsJob } from "../plugin.ts";

export const job = defineStepType({
  name: "job",
  title: "Run a job",
  description:
    "Starts another job and waits for its end. A stop, a pause and a resume reach it. If it fails or is stopped, so does the step.",
  input: Type.Object(
    {
      jobId: Type.String({
        format: "uuid",
        title: "Job",
        description: "Id of the job. Not an expression: loops are looked for when the job is saved.",
      }),
      parameters: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          title: "Parameters",
          description: "As for a start; checked against the job's schema when the step runs.",
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    executionId: Type.String({ description: "Of the job that ran." }),
    status: Type.String(),
    output: Type.Unknown({ description: "Of its last step that has one." }),
  }),
  verbatim: ["jobId"],
  async run({ input }) {
    return new StartsJob(input.jobId, input.parameters ?? {});
  },
  check({ jobId }): InputFault[] {
    if (typeof jobId !== "string" || !jobId.includes("{{")) return [];
    return [{ path: "/jobId", message: "must be the id of a job, not an expression." }];
  },
});
