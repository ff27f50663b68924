import type { ConnectionTest, ConnectionType, StepConnection } from "../../contract/connection.ts";
import { ApiError } from "../../contract/errors.ts";
import { secretsIn } from "../../lib/connection-secrets.ts";
import type { Dialer } from "../../lib/dialer.ts";
import { createMasker } from "../../lib/masker.ts";
import { SHORTEST } from "../../lib/masker-texts.ts";
import { StepError } from "../../lib/step-error.ts";
import { restApiProbes } from "./probe-rest-api.ts";
import { sqlProbes } from "./probe-sql.ts";
import { templateOf } from "./templates.ts";

/** One thing that must work, after those before it did. Answers a sentence, where there is something to say. */
export interface Probe {
  name: string;
  run(signal: AbortSignal): Promise<string | undefined>;
}

/** What is tried of a connection. `end` lets go of what the probes have opened. */
export interface Trial {
  probes: Probe[];
  end(): void;
}

type MakeTrial = (dialer: Dialer, variables: Readonly<Record<string, string>>) => Trial;

const trials: Partial<Record<ConnectionType, MakeTrial>> = {
  "rest-api": restApiProbes,
  "database-relational1": (dialer, variables) => sqlProbes("database-relational1", dialer, variables),
  "database-relational2": (dialer, variables) => sqlProbes("database-relational2", dialer, variables),
};

export const testableTypes = Object.keys(trials) as ConnectionType[];

export type TestConnection = ReturnType<typeof connectionTester>;
type TestedConnection = Pick<StepConnection, "connectionType" | "variables" | "sensitiveVariables">;

/** All of a test. */
const LIMIT_MS = 20_000;
/** Each holds a socket for as long as the other side likes. */
const MOST_AT_ONCE = 8;

/** Tests connections, a few at a time. */
export function connectionTester(dialer: Dialer) {
  let underWay = 0;

  /** @throws ApiError INVALID_STATE (no test for this type), OVERLOADED */
  return async function test(connection: TestedConnection, gone: AbortSignal): Promise<ConnectionTest> {
    const { connectionType: type, variables } = connection;
    const makeTrial = requireTestable(type);
    if (underWay >= MOST_AT_ONCE) {
      throw new ApiError("OVERLOADED", "Several connections are tested just now. Try again in a moment.", {
        retryAfter: 2,
      });
    }
    underWay++;
    try {
      const hide = hiding(secretsIn(connection));
      return await runTrial(makeTrial(dialer, variables), hide, gone);
    } finally {
      underWay--;
    }
  };
}

/** @throws ApiError INVALID_STATE */
export function requireTestable(type: ConnectionType): MakeTrial {
  const makeTrial = trials[type];
  if (makeTrial) return makeTrial;
  const { label } = templateOf(type);
  throw new ApiError(
    "INVALID_STATE",
    `Connections of the type ${type} (${label}) can't be tested yet. Those that can are ${testableTypes.join(", ")}.`,
  );
}

async function runTrial(
  trial: Trial,
  hide: (text: string) => string,
  gone: AbortSignal,
): Promise<ConnectionTest> {
  const began = performance.now();
  const late = AbortSignal.timeout(LIMIT_MS);
  const signal = AbortSignal.any([gone, late]);
  const steps: ConnectionTest["steps"] = [];
  let failed = false;
  try {
    for (const { name, run } of trial.probes) {
      if (failed) {
        steps.push({ name, status: "SKIPPED", durationMs: 0 });
        continue;
      }
      const started = performance.now();
      const took = () => Math.round(performance.now() - started);
      try {
        const message = await run(signal);
        steps.push({ name, status: "SUCCESS", durationMs: took(), ...said(message, hide) });
      } catch (error) {
        failed = true;
        const message = late.aborted ? `It was not done after ${LIMIT_MS / 1000} seconds.` : reason(error);
        steps.push({ name, status: "FAILED", durationMs: took(), ...said(message, hide) });
      }
    }
  } finally {
    trial.end();
  }
  const durationMs = Math.round(performance.now() - began);
  return { status: failed ? "failure" : "success", steps, durationMs };
}

function said(message: string | undefined, hide: (text: string) => string): { message?: string } {
  return message === undefined ? {} : { message: hide(message) };
}

/** Only our own sentences: whatever else was thrown may hold anything. */
function reason(error: unknown): string {
  return error instanceof StepError ? error.message : "It failed for a reason that has no name.";
}

const longestMessage = 1_000;

function hiding(secrets: readonly string[]): (text: string) => string {
  const masker = createMasker(secrets);
  const short = secrets.filter((secret) => secret !== "" && secret.length < SHORTEST);
  return (text) => {
    // Such a secret is not masked, since it stands everywhere: rather nothing is said than it.
    if (short.some((secret) => text.includes(secret))) {
      return "What was answered is not shown: a secret of the connection is too short to be taken out of it.";
    }
    const masked = masker.text(text);
    return masked.length > longestMessage ? `${masked.slice(0, longestMessage).toWellFormed()}…` : masked;
  };
}
