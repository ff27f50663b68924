import { ApiError } from "../contract/errors.ts";

const names = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

/**
 * Keeps a GET that acts from acting for somebody who only looks ahead: browsers and mail scanners fetch what they think
 * will be followed.
 * @throws ApiError VALIDATION_FAILED
 */
export function refusePrefetch(headers: object): void {
  const given = headers as Record<string, unknown>;
  const name = names.find((one) => /prefetch|prerender|preview/i.test(String(given[one] ?? "")));
  if (name === undefined) return;
  throw new ApiError("VALIDATION_FAILED", "A prefetch decides nothing. Send the request when it is meant.", {
    details: [{ path: `headers/${name}`, message: "says that this is a prefetch." }],
  });
}
