import Type from "typebox";
import { parametersFaults } from "../../lib/json-schema/parameters.ts";
import { StepError } from "../../lib/step-error.ts";
import { AskedForDecision, defineStepType, type InputFault } from "../plugin.ts";
import { durationMs } from "../wait/duration.ts";

const Input = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: 4000,
      title: "Message",
      description: "What is to be decided, for the person who reads it.",
    }),
    form: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        title: "Form",
        description: "JSON Schema of what the person fills in; the answers become the step's output.",
      }),
    ),
    authorities: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 50,
        title: "Authorities",
        description: "Who may decide: holders of one of these.",
      }),
    ),
    principals: Type.Optional(
      Type.Array(Type.String({ minLength: 1 }), {
        maxItems: 50,
        title: "Principals",
        description: "Who may decide: these, by name.",
      }),
    ),
    deadline: Type.Optional(
      Type.String({
        title: "Deadline",
        description: "How long there is to decide: 90s, 5m, 2h, 1d, or ISO 8601 such as P2D.",
      }),
    ),
    onDeadline: Type.Optional(
      Type.Enum(["approve", "reject", "fail"], {
        default: "reject",
        title: "At the deadline",
        description: "What happens when nobody has decided by then.",
      }),
    ),
  },
  { additionalProperties: false },
);

export const approval = defineStepType({
  name: "approval",
  title: "Approval",
  description:
    "Asks a person to approve or reject, and holds the execution until somebody has. Rejected, it is stopped.",
  input: Input,
  output: Type.Object(
    {
      approved: Type.Boolean(),
      decidedBy: Type.String(),
      decidedAt: Type.String(),
      comment: Type.Union([Type.String(), Type.Null()]),
    },
    { additionalProperties: true, description: "And the answers to the form, by their names." },
  ),
  async run({ input }) {
    const fault = faultsOf(input)[0];
    if (fault)
      throw new StepError("INVALID_INPUT", `input${fault.path} ${fault.message}`, { retryable: false });
    const { message, form, authorities, principals, deadline, onDeadline = "reject" } = input;
    const ms = deadline === undefined ? undefined : durationMs(deadline);
    return new AskedForDecision({
      message,
      form,
      authorities,
      principals,
      ...(ms === undefined ? {} : { deadline: Date.now() + ms, onDeadline }),
    });
  },
  check: faultsOf,
});

function faultsOf(input: Record<string, unknown>): InputFault[] {
  const faults: InputFault[] = [];
  const { deadline, onDeadline, form } = input;
  if (typeof deadline === "string" && !deadline.includes("{{") && durationMs(deadline) === undefined) {
    faults.push({ path: "/deadline", message: "must look like 90s, 5m, 2h, 1d or P2D." });
  }
  if (onDeadline !== undefined && deadline === undefined) {
    faults.push({ path: "/onDeadline", message: "has no effect without a deadline." });
  }
  if (typeof form === "object" && form !== null) {
    for (const { path, message } of parametersFaults(form as Record<string, unknown>)) {
      faults.push({ path: `/form${path}`, message });
    }
  }
  return faults;
}
