import { ClientError } from "../client/error.ts";
import { ConfigError } from "../config.ts";
import { CliError, type Exit, exitCodes } from "./exit.ts";
import { pawl } from "./own-name.ts";
import { paintNote, safe } from "./text.ts";

interface Told {
  exit: Exit;
  code: string;
  message: string;
  details: string[];
  requestId?: string | undefined;
  hint?: string | undefined;
}

/** Says on standard error what went wrong and what to do next; with --json also as an object on standard output. */
export function reportFailure(error: unknown, json: boolean): number {
  const told = tell(error);
  if (json) {
    const { code, message, details, requestId, hint } = told;
    console.log(JSON.stringify({ error: { code, message, details, requestId, hint } }, null, 2));
  }
  // To detach is what was asked for.
  const label = told.exit === "detached" ? "" : `${paintNote("red", "error:")} `;
  const lines = [`${label}${safe(told.message)}`];
  for (const detail of told.details) lines.push(`  - ${safe(detail)}`);
  if (told.hint) lines.push(told.hint);
  if (told.requestId) lines.push(paintNote("dim", `Request id: ${safe(told.requestId)}`));
  console.error(lines.join("\n"));
  // A slip of ours, not of the user's: the place is what a report of it needs.
  if (error instanceof TypeError || error instanceof ReferenceError) console.error(error.stack);
  return exitCodes[told.exit].code;
}

function tell(error: unknown): Told {
  if (error instanceof CliError) {
    return {
      exit: error.exit,
      code: "CLI",
      message: error.message,
      details: error.details,
      hint: error.hint,
    };
  }
  if (error instanceof ConfigError) {
    const message = error.message.split("\n")[0]!;
    const hint = `\`${pawl} config --help\` tells where values come from; docs/configuration.md lists them all.`;
    return { exit: "usage", code: "CONFIG", message, details: error.faults, hint };
  }
  if (error instanceof ClientError) {
    return {
      exit: error.code === "UNREACHABLE" || error.code === "UNEXPECTED_ANSWER" ? "unreachable" : "refused",
      code: error.code,
      message: error.message,
      details: error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message)),
      requestId: error.requestId,
      hint: hintFor(error),
    };
  }
  return {
    exit: "failed",
    code: "UNKNOWN",
    message: error instanceof Error ? error.message : String(error),
    details: [],
  };
}

function hintFor(error: ClientError): string | undefined {
  switch (error.code) {
    case "UNAUTHENTICATED":
      return (
        "Set PAWL_TOKEN to a valid token, or PAWL_DATA_DIR to the data directory of a Pawl on this machine. " +
        `Lost all of them? \`${pawl} token reset-admin --help\``
      );
    case "FORBIDDEN":
      return `\`${pawl} whoami\` shows what your token may do; \`${pawl} token create --help\` how to make one that may more.`;
    case "OVERLOADED":
    case "RATE_LIMITED":
    case "STORE_UNAVAILABLE":
      return error.retryAfter === undefined ? "Try again shortly." : `Try again in ${error.retryAfter} s.`;
    case "INTERNAL":
      return "Pawl's log has the cause under the request id.";
    default:
      return undefined;
  }
}
