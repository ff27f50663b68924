import { Response, fetch as undiciFetch } from "undici";
import type { Dialer } from "./dialer.ts";
import { networkFault } from "./dialer-faults.ts";
import { publicUrl } from "./public-url.ts";
import { StepError } from "./step-error.ts";

/**
 * The platform's fetch through the guarded dialer, for libraries that want one. It follows no redirect (3xx is the answer), and
 * ends a body that grows past `maxResponseBytes`, counted after decompression, as it is read. `account` is what all answers
 * together may have from here on. `onTooLarge` is told when a body was ended: some readers of streams keep what ended them to themselves.
 */
export function guardedFetch(
  dialer: Dialer,
  {
    maxResponseBytes,
    account,
    onTooLarge,
  }: { maxResponseBytes: number; account?: { left: number }; onTooLarge?(error: StepError): void },
): typeof fetch {
  const call = async (input: string | URL, init: RequestInit = {}) => {
    const url = new URL(input);
    const target = `${init.method ?? "GET"} ${publicUrl(url)}`;
    let response: Awaited<ReturnType<typeof undiciFetch>>;
    try {
      response = await undiciFetch(url, {
        ...(init as object),
        redirect: "manual",
        dispatcher: dialer.dispatcher,
      });
    } catch (error) {
      throw init.signal?.aborted ? init.signal.reason : networkFault(causeOf(error), target);
    }
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const count = counter(maxResponseBytes, account);
    return new Response(limited(response.body, count, target, onTooLarge), { status, statusText, headers });
  };
  return call as unknown as typeof fetch;
}

type Body = NonNullable<Response["body"]>;

/** Answers the limit that is passed with these bytes. */
function counter(limit: number, account: { left: number } | undefined) {
  let size = 0;
  let allowed = limit;
  return (bytes: number): number | undefined => {
    if (account) {
      allowed = Math.min(allowed, size + account.left);
      account.left -= bytes;
    }
    size += bytes;
    return size > allowed ? allowed : undefined;
  };
}

function limited(
  body: Body,
  count: ReturnType<typeof counter>,
  target: string,
  onTooLarge: ((error: StepError) => void) | undefined,
): Body {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let part: Awaited<ReturnType<typeof reader.read>>;
        try {
          part = await reader.read();
        } catch (error) {
          return controller.error(isAbort(error) ? error : networkFault(causeOf(error), target));
        }
        if (part.done) return controller.close();
        const limit = count((part.value as Uint8Array).byteLength);
        if (limit !== undefined) {
          const message = `${target} answered with more than ${limit} bytes.`;
          const error = new StepError("RESPONSE_TOO_LARGE", message, { retryable: false });
          controller.error(error);
          onTooLarge?.(error);
          // The rest is never sent: the socket goes with it.
          return reader.cancel().catch(() => {});
        }
        controller.enqueue(part.value as Uint8Array);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  ) as Body;
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === "AbortError" || error.name === "TimeoutError");
}

/** fetch wraps what went wrong in a TypeError that says nothing. */
function causeOf(error: unknown): unknown {
  return error instanceof TypeError && error.cause !== undefined ? error.cause : error;
}
