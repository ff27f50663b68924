import Type, { type Static } from "typebox";
import { StepError } from "../../lib/step-error.ts";
import { defineStepType, type InputFault, Parked } from "../plugin.ts";
import { durationMs } from "./duration.ts";

const YEAR_MS = 366 * 86_400_000;
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
const FIELDS = ["durationMs", "duration", "until"] as const;

const Input = Type.Object(
  {
    durationMs: Type.Optional(
      Type.Integer({ minimum: 0, maximum: YEAR_MS, title: "Milliseconds", description: "How long to wait." }),
    ),
    duration: Type.Optional(
      Type.String({
        title: "Duration",
        description: "How long to wait: 500ms, 90s, 5m, 2h, 1d, or ISO 8601 such as P1DT2H30M.",
      }),
    ),
    until: Type.Optional(
      Type.String({
        title: "Until",
        description:
          "A time in ISO 8601 with its zone, such as 2030-01-31T09:00:00Z. One that is past is no wait.",
      }),
    ),
  },
  { additionalProperties: false, description: "Exactly one of durationMs, duration and until." },
);

export const wait = defineStepType({
  name: "wait",
  title: "Wait",
  description:
    "Waits for a time without holding anything in memory: a restart of the server does not disturb it.",
  input: Input,
  output: Type.Object({ waitedUntil: Type.String({ description: "When the wait was to end, ISO 8601." }) }),
  async run({ input }) {
    const fault = faultsOf(input)[0];
    if (fault) throw invalid(fault.message);
    const until = timeOf(input, Date.now());
    const output = { waitedUntil: new Date(until).toISOString() };
    return until <= Date.now() ? output : new Parked(until, output);
  },
  check: faultsOf,
});

function faultsOf(input: Record<string, unknown>): InputFault[] {
  const given = FIELDS.filter((field) => input[field] !== undefined);
  if (given.length !== 1) {
    const found = given.length === 0 ? "none of them" : given.join(" and ");
    return [{ path: "", message: `needs exactly one of durationMs, duration and until, and has ${found}.` }];
  }
  const field = given[0]!;
  const text = input[field];
  if (typeof text !== "string" || text.includes("{{")) return [];
  if (field === "until") {
    if (!TIME.test(text) || Number.isNaN(Date.parse(text))) {
      return [{ path: "/until", message: "must be a time such as 2030-01-31T09:00:00Z, zone included." }];
    }
    return [];
  }
  const ms = durationMs(text);
  if (ms === undefined) {
    return [{ path: "/duration", message: "must look like 90s, 5m, 2h, 1d or P1DT2H30M." }];
  }
  return ms > YEAR_MS ? [{ path: "/duration", message: "must be at most a year." }] : [];
}

function timeOf(input: Static<typeof Input>, now: number): number {
  const until =
    input.until === undefined
      ? now + (input.durationMs ?? durationMs(input.duration!)!)
      : Date.parse(input.until);
  if (until > now + YEAR_MS) throw invalid("must not wait for more than a year.");
  return until;
}

function invalid(message: string): StepError {
  return new StepError("INVALID_INPUT", `The input of this wait ${message}`, { retryable: false });
}
