import Type, { type Static } from "typebox";
import { ConnectionIdentity } from "./connection.ts";
import { Id, Nullable, OneOf, patterns, Strict, Timestamp } from "./shapes.ts";

const Retry = Strict(
  {
    maxAttempts: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 1,
      description: "The first try included.",
    }),
    initialDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, default: 500 })),
    factor: Type.Optional(Type.Number({ minimum: 1, maximum: 10, default: 2 })),
    maxDelayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000, default: 30_000 })),
  },
  { description: "Tries again after a retryable failure, with growing and jittered delays." },
);

export const StepKey = Type.String({
  pattern: patterns.key,
  description: "Unique in the job; other steps refer to it as steps.<key>.",
});

const stepFields = {
  key: StepKey,
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: "Defaults to the key." })),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  type: Type.String({ minLength: 1, maxLength: 100, description: "A step type: see GET /step-types." }),
  when: Type.Optional(
    Type.String({ minLength: 1, maxLength: 4000, description: "CEL; the step is SKIPPED when it is false." }),
  ),
  connectionId: Type.Optional(
    Type.String({
      format: "uuid",
      description:
        "The connection that it uses, of a type that the step type takes. Only this reference is kept.",
    }),
  ),
  input: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "Checked by the type; strings may hold {{ CEL }}.",
    }),
  ),
  retry: Type.Optional(Retry),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 604_800_000, description: "Of one attempt." }),
  ),
  onError: Type.Optional(
    OneOf(["fail", "continue"], {
      default: "fail",
      description: "continue: a FAILED step does not fail the job.",
    }),
  ),
};

export const StepInput = Strict({
  id: Type.Optional(
    Type.String({ format: "uuid", description: "The lasting id of a step that is already there." }),
  ),
  ...stepFields,
  connection: Type.Optional(
    Strict(ConnectionIdentity.properties, {
      description: "The same by name and type, instead of connectionId.",
    }),
  ),
});
export type StepInput = Static<typeof StepInput>;

export const Step = Type.Object({ id: Id, ...stepFields });
export type Step = Static<typeof Step>;

const jobFields = {
  name: Type.String({ minLength: 1, maxLength: 200, description: "Unique." }),
  description: Type.Optional(Type.String({ maxLength: 4000 })),
  category: Type.Optional(Type.String({ maxLength: 100 })),
  tags: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 50, uniqueItems: true }),
  ),
  parameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema (2020-12) of the inputs." }),
  ),
  timeoutMs: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000_000, description: "Of the whole execution." }),
  ),
  concurrency: Type.Optional(
    Strict(
      {
        limit: Type.Integer({ minimum: 1, maximum: 100_000, description: "Executions under way at a time." }),
        onLimit: Type.Optional(
          OneOf(["queue", "reject"], { default: "queue", description: "What becomes of a start beyond it." }),
        ),
      },
      { description: "Paused executions keep their place." },
    ),
  ),
  mcp: Type.Optional(Strict({ exposed: Type.Boolean({ default: true }) })),
};

/** What a person writes: the body of POST and PUT /jobs, and of an import. */
export const JobInput = Strict({
  ...jobFields,
  // Not part of the definition: moving a job makes no version, and an old version does not move it back.
  collectionId: Type.Optional(
    Type.Union([Type.String({ format: "uuid" }), Type.Null()], {
      description: "The collection it is in; null takes it out; left out, it stays where it is.",
    }),
  ),
  steps: Type.Array(StepInput, { minItems: 1, maxItems: 500 }),
});
export type JobInput = Static<typeof JobInput>;

export const Job = Type.Object({
  id: Id,
  ...jobFields,
  description: Type.String(),
  category: Type.String(),
  tags: Type.Array(Type.String()),
  collectionId: Nullable(Id),
  steps: Type.Array(Step),
  version: Type.Integer({ minimum: 1 }),
  createdAt: Timestamp,
  createdBy: Type.String(),
  updatedAt: Timestamp,
  updatedBy: Type.String(),
});
export type Job = Static<typeof Job>;

/** A step of a job's current version, on its own. */
export const StepRecord = Type.Object({
  id: Id,
  jobId: Id,
  jobName: Type.String(),
  collectionId: Nullable(Id),
  position: Type.Integer({ description: "From 0." }),
  ...stepFields,
  name: Type.String(),
  description: Type.String(),
  category: Type.String({ description: "Of its job." }),
  tags: Type.Array(Type.String(), { description: "Of its job." }),
  updatedAt: Timestamp,
});
export type StepRecord = Static<typeof StepRecord>;

export const JobVersion = Type.Object({
  version: Type.Integer(),
  current: Type.Boolean(),
  createdAt: Timestamp,
  createdBy: Type.String(),
  restoredFrom: Nullable(Type.Integer()),
  definition: Type.Object({ ...jobFields, steps: Type.Array(Step) }),
});
export type JobVersion = Static<typeof JobVersion>;

export const StepTypeInfo = Type.Object({
  name: Type.String(),
  title: Type.String(),
  description: Type.String(),
  input: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of `input`." }),
  output: Type.Record(Type.String(), Type.Unknown(), { description: "JSON Schema of the output." }),
  connectionTypes: Type.Array(Type.String(), {
    description: "Types of the connections that it can use; empty: it uses none.",
  }),
  connectionRequired: Type.Boolean(),
});
export type StepTypeInfo = Static<typeof StepTypeInfo>;
