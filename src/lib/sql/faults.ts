import { networkFault } from "../dialer-faults.ts";
import { StepError } from "../step-error.ts";

/** What both drivers say of a refusal by the server. */
export interface Refusal {
  message: string;
  sqlState: string;
  detail?: string | undefined;
  hint?: string | undefined;
  /** Not of the statement, but of the moment: it may well be taken the next time. */
  passing: boolean;
}

/** A statement was refused. */
export function statementFault({ message, sqlState, detail, hint, passing }: Refusal): StepError {
  const more = [detail, hint].filter(Boolean).map((text) => ` ${sentence(text!)}`);
  return new StepError(
    "SQL_FAILED",
    `The database refused the statement: ${sentence(message)}${more.join("")} (SQLSTATE ${sqlState})`,
    { retryable: passing },
  );
}

/** The sign-in was refused. */
export function signInFault({ message, sqlState, passing }: Refusal): StepError {
  return new StepError(
    "SIGN_IN_FAILED",
    `The database did not let the connection in: ${sentence(message)} (SQLSTATE ${sqlState})`,
    { retryable: passing },
  );
}

/** Neither a refusal nor ours: the connection itself. */
export function connectionFault(error: unknown, target: string): StepError {
  return networkFault(error, target);
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
