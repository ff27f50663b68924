import { Response, fetch as undiciFetch } from "undici";
import type { Dialer } from "./dialer.ts";
import { networkFault } from "./dialer-faults.ts";
import { publicUrl } from "./public-url.ts";
import { StepError } from "./step-error.ts";

/**
 * The platform's fetch through the guarded dialer, for libraries that want one. It follows no redirect (3xx is the answer), and
 * ends a body that grows past `maxResponseBytes`, counted after decompression, as it is read.
 */
export function guardedFetch(
  dialer: Dialer,
  { maxResponseBytes }: { maxResponseBytes: number },
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
    return new Response(limited(response.body, maxResponseBytes, target), { status, statusText, headers });
  };
  return call as unknown as typeof fetch;
}

type Body = NonNullable<Response["body"]>;

function limited(body: Body, limit: number, target: string): Body {
  const reader = body.getReader();
  let size = 0;
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
        size += (part.value as Uint8Array).byteLength;
        if (size > limit) {
          const message = `${target} answered with more than ${limit} bytes.`;
          controller.error(new StepError("RESPONSE_TOO_LARGE", message, { retryable: false }));
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
