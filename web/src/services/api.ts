import { createClient } from "@client/client.ts";
import { ClientError } from "@client/error.ts";

/** Every call of the interface goes through here: the typed client, with the session's cookie as the credential. */
export const api = createClient({ url: location.origin });

/** What went wrong as one of the client's errors, or undefined for a fault of our own. */
export function asClientError(error: unknown): ClientError | undefined {
  return error instanceof ClientError ? error : undefined;
}

/** A sentence for a person, whatever was thrown. */
export function sentenceOf(error: unknown): string {
  const fault = asClientError(error);
  if (fault?.code === "UNREACHABLE")
    return "Pawl does not answer. It may be restarting, or the network is away.";
  if (fault) return fault.message;
  return error instanceof Error ? error.message : String(error);
}
