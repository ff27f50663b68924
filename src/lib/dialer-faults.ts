import { StepError } from "./step-error.ts";

// What went wrong between us and the other side, after "could not be reached:" or the like.
const UNREACHED: Record<string, string> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the host name could not be resolved just now",
  EHOSTUNREACH: "there is no route to the host",
  ENETUNREACH: "there is no route to the network",
  EADDRNOTAVAIL: "the address can't be used from here",
  ETIMEDOUT: "it did not answer in time",
  UND_ERR_CONNECT_TIMEOUT: "it did not accept the connection in time",
};

const BROKEN: Record<string, string> = {
  ECONNRESET: "it closed the connection before the answer was complete",
  EPIPE: "it closed the connection while the request was being sent",
  UND_ERR_SOCKET: "it closed the connection before the answer was complete",
  UND_ERR_HEADERS_TIMEOUT: "it took the request but sent no answer in time",
  UND_ERR_BODY_TIMEOUT: "it began to answer and then sent nothing for too long",
  UND_ERR_HEADERS_OVERFLOW: "its response headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "it sent a body of another length than it announced",
};

const TLS: Record<string, string> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate chain ends in one that is not trusted here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate chain is incomplete or not trusted here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is by an authority that is not trusted here",
  UNABLE_TO_GET_ISSUER_CERT: "its certificate chain is incomplete",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name",
};

/** A network error as a sentence for a person; a failure that already is one passes through. */
export function networkFault(error: unknown, target: string): StepError {
  if (error instanceof StepError) return error;
  const code = codeOf(error);
  const certificate = TLS[code];
  if (certificate !== undefined) {
    return fault("TLS_FAILED", `${target} was not trusted: ${certificate}.`, error);
  }
  if (code.startsWith("ERR_SSL") || code === "EPROTO" || code.startsWith("ERR_TLS")) {
    const message = `${target} did not complete the TLS handshake (${code}): does it speak https on this port?`;
    return fault("TLS_FAILED", message, error);
  }
  const unreached = UNREACHED[code];
  if (unreached !== undefined) {
    return fault("CONNECTION_FAILED", `${target} could not be reached: ${unreached}.`, error);
  }
  if (code.startsWith("HPE_") || (error as Error)?.name === "HTTPParserError") {
    return fault("CONNECTION_FAILED", `${target} did not answer in HTTP.`, error);
  }
  const broken = BROKEN[code] ?? `the connection failed${code ? ` (${code})` : ""}`;
  return fault("CONNECTION_FAILED", `${target} did not answer: ${broken}.`, error);
}

function fault(code: string, message: string, cause: unknown): StepError {
  return new StepError(code, message, { retryable: true, cause });
}

/** The first code in the error, the errors it gathers (one per address tried) and its causes. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === "string") return code;
    const inner = at instanceof AggregateError ? codeOf(at.errors[0]) : "";
    if (inner !== "") return inner;
  }
  return "";
}
