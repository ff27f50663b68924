import type { FastifyReply, FastifyRequest } from "fastify";
import { ApiError } from "../contract/errors.ts";

const hostNames = { session: "__Host-pawl", flow: "__Host-pawl-sign-in" };
const plainNames = { session: "pawl-session", flow: "pawl-sign-in" };
type Kind = keyof typeof hostNames;
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/;

/** A session to hand to the browser; null: the one it has is over. */
export type SessionCookie = { secret: string; expiresAt: Date } | null;

/**
 * The cookie that carries a session. `__Host-` and Secure wherever a browser takes that: over TLS, and on this machine.
 * @param publicUrl where people reach Pawl, when it was said: behind a proxy the request alone does not tell of TLS
 */
export function sessionCookies(publicUrl: () => string | undefined) {
  let warned = false;

  function isSecure(request: FastifyRequest): boolean {
    return (
      request.protocol === "https" || loopback.test(request.host) || !!publicUrl()?.startsWith("https://")
    );
  }

  return {
    /** The secret that came with the request. Where the strict name is possible no other is read: a neighbour could set it. */
    read(request: FastifyRequest, kind: Kind): string | undefined {
      const { cookie } = request.headers;
      if (cookie === undefined) return undefined;
      const wanted = `${(isSecure(request) ? hostNames : plainNames)[kind]}=`;
      const found = cookie
        .split(";")
        .map((pair) => pair.trim())
        .find((pair) => pair.startsWith(wanted));
      return found?.slice(wanted.length);
    },

    write(request: FastifyRequest, reply: FastifyReply, kind: Kind, session: SessionCookie): void {
      const secure = isSecure(request);
      if (!secure && session && !warned) {
        warned = true;
        request.log.warn(
          "A session cookie went over plain HTTP, where others on the network can read it. Put TLS in front of Pawl and set PAWL_PUBLIC_URL.",
        );
      }
      const value = session
        ? `${session.secret}; Expires=${session.expiresAt.toUTCString()}`
        : "; Expires=Thu, 01 Jan 1970 00:00:00 GMT";
      const name = (secure ? hostNames : plainNames)[kind];
      reply.header(
        "set-cookie",
        `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`,
      );
    },

    /**
     * Refuses what a page of another site sent: browsers say where a request is from, and send cookies along with it.
     * @param mayBeSilent without a word about its origin it is no browser's; with a cookie of ours it must say
     */
    requireOwnPage(request: FastifyRequest, { mayBeSilent }: { mayBeSilent: boolean }): void {
      const site = request.headers["sec-fetch-site"];
      const { origin } = request.headers;
      if (site !== undefined ? site === "same-origin" : isOwn(request, origin)) return;
      if (mayBeSilent && site === undefined && origin === undefined) return;
      throw new ApiError(
        "FORBIDDEN",
        "The request comes from a page that is not Pawl's, so its session does not count. Send an API token instead.",
      );
    },
  };

  function isOwn(request: FastifyRequest, origin: string | undefined): boolean {
    if (origin === undefined) return false;
    const outside = publicUrl();
    return (
      origin === `${request.protocol}://${request.host}` ||
      (outside !== undefined && origin === new URL(outside).origin)
    );
  }
}

export type SessionCookies = ReturnType<typeof sessionCookies>;
