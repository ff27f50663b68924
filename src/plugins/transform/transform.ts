import Type from "typebox";
import { defineStepType } from "../plugin.ts";
import { checkFaults, resultOf } from "../sandbox/fault.ts";
import type { Sandbox } from "../sandbox/pool.ts";

const DEFAULT_LIMIT_MS = 5_000;

export function transform(sandbox: Sandbox) {
  return defineStepType({
    name: "transform",
    title: "Transform data",
    description: "Reshapes, filters and adds up data with a JSONata expression (https://docs.jsonata.org).",
    input: Type.Object(
      {
        data: Type.Optional(
          Type.Unknown({
            title: "Data",
            description:
              "What the expression works on, such as {{ steps.fetch.output.body }}. Null when left out.",
          }),
        ),
        expression: Type.String({
          minLength: 1,
          maxLength: 100_000,
          title: "JSONata expression",
          description: "It is not a template: {{ }} has no meaning in it. A result of nothing is null.",
        }),
        timeLimitMs: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 60_000,
            default: DEFAULT_LIMIT_MS,
            title: "Time limit (ms)",
            description: "The expression is killed when it runs for longer.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    output: Type.Unknown({ description: "What the expression evaluates to." }),
    verbatim: ["expression"],
    async run({ input, signal }) {
      const { expression, timeLimitMs = DEFAULT_LIMIT_MS } = input;
      const task = { kind: "transform", data: JSON.stringify(input.data ?? null), expression } as const;
      return resultOf(await sandbox.run(task, { timeLimitMs, signal }), "The expression", "TRANSFORM_FAILED");
    },
    async check({ expression }) {
      if (typeof expression !== "string") return [];
      const task = { kind: "transform.check", expression } as const;
      return checkFaults(await sandbox.run(task, { timeLimitMs: DEFAULT_LIMIT_MS }), "/expression");
    },
  });
}
