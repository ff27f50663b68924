import { ClientError } from "../client/error.ts";
import { clean } from "./text.ts";

/** What a tool's failure is called. docs/mcp.md is checked against this list. */
export const toolErrors = {
  JOB_NOT_FOUND: "No job has this id, its user may not know of it, or it is not open to assistants.",
  RUN_NOT_FOUND: "The same for a run.",
  INVALID_PARAMETERS: "Arguments, or parameters of the job, don't fit; every fault is listed.",
  INVALID_STATE: "The run's state doesn't allow it; the message names the state and what is possible.",
  PERMISSION_DENIED: "The user's rights don't include it.",
  RATE_LIMITED: "Too many calls in a short time, or too many that wait.",
  CONFIRMATION_REQUIRED: "A person has to confirm it: call again with confirm: true once they have.",
  CANCELLED_BY_USER: "The person who was asked said no.",
  PLATFORM_UNAVAILABLE: "The platform can't be reached, or is too busy just now.",
  RESULT_TOO_LARGE: "The answer doesn't fit into 64 KiB and can't be cut.",
} as const;
export type ToolErrorCode = keyof typeof toolErrors;

/** A failure that the assistant is told of. */
export class ToolFault extends Error {
  override readonly name = "ToolFault";
  readonly code: ToolErrorCode;
  /** Whether the same call may succeed a little later. */
  readonly retryable: boolean;

  constructor(code: ToolErrorCode, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}

const longestMessage = 4000;

/** A refusal of the platform in the words of the tools. Undefined: not one, so a fault of ours. */
export function toolFaultOf(error: unknown, subject: "job" | "run"): ToolFault | undefined {
  if (error instanceof ToolFault) return error;
  if (!(error instanceof ClientError)) return undefined;
  const message = clean(error.message, longestMessage);
  switch (error.code) {
    case "NOT_FOUND":
      return notFound(subject);
    case "VALIDATION_FAILED":
      return new ToolFault("INVALID_PARAMETERS", listed(error));
    case "INVALID_STATE":
    case "CONFLICT":
      return new ToolFault("INVALID_STATE", message);
    case "IDEMPOTENCY_CONFLICT":
      return new ToolFault(
        "INVALID_PARAMETERS",
        "This idempotencyKey was used before with another job or other parameters. Use a new key for a new start.",
      );
    case "FORBIDDEN":
      return new ToolFault("PERMISSION_DENIED", message);
    case "PAYLOAD_TOO_LARGE":
      return new ToolFault("INVALID_PARAMETERS", message);
    case "INTERNAL":
      return new ToolFault("PLATFORM_UNAVAILABLE", `${message} Try again once.`, { retryable: true });
    default:
      return unavailable(error);
  }
}

export function notFound(subject: "job" | "run"): ToolFault {
  return subject === "job"
    ? new ToolFault("JOB_NOT_FOUND", "There is no such job for you. search_jobs lists those that there are.")
    : new ToolFault("RUN_NOT_FOUND", "There is no such run for you. list_runs lists those that there are.");
}

/** What the network said may name hosts of ours: it stays in the log. */
function unavailable(cause: ClientError): ToolFault {
  const after = cause.retryAfter === undefined ? "a few seconds" : `${cause.retryAfter} seconds`;
  if (cause.code === ("RATE_LIMITED" as string)) {
    return new ToolFault("RATE_LIMITED", `Too many calls. Wait ${after}, then try again.`, {
      retryable: true,
      cause,
    });
  }
  return new ToolFault(
    "PLATFORM_UNAVAILABLE",
    `Pawl can't do this just now. Wait ${after}, then try again; if that goes on, tell an administrator.`,
    { retryable: true, cause },
  );
}

function listed({ message, details }: ClientError): string {
  if (details.length === 0) return clean(message, longestMessage);
  const faults = details.map(({ path, message }) => `${path || "the arguments"} ${message}`).join(" ");
  return clean(`Mend these and call again: ${faults}`, longestMessage);
}
