import { isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Dialer } from "../../lib/dialer.ts";
import { networkFault } from "../../lib/dialer-faults.ts";
import { guardedRequest } from "../../lib/dialer-request.ts";
import { publicUrl } from "../../lib/public-url.ts";
import { type RestApi, restApi } from "../../lib/rest-api.ts";
import { StepError } from "../../lib/step-error.ts";
import type { Probe, Trial } from "./test-connection.ts";

const MOST_BYTES = 64 * 1024;
const MOST_REDIRECTS = 5;

/** Asks for the base URL, with the credentials. */
export function restApiProbes(dialer: Dialer, variables: Readonly<Record<string, string>>): Trial {
  let api: RestApi;
  const settings: Probe = {
    name: "Settings",
    async run() {
      api = restApi(variables);
      return undefined;
    },
  };
  const connect: Probe = {
    name: "Connect",
    async run(signal) {
      const { hostname, port, protocol } = api.base;
      const host = hostname.replace(/^\[(.*)\]$/, "$1");
      const secure = protocol === "https:";
      const socket = await dialer.connect(host, Number(port) || (secure ? 443 : 80), { signal });
      try {
        if (secure) await shakeHands(host, socket, signal);
        return secure ? "Its certificate is trusted." : undefined;
      } finally {
        socket.on("error", () => {});
        socket.destroy();
      }
    },
  };
  const request: Probe = {
    name: "Request",
    async run(signal) {
      const { status, url } = await guardedRequest(dialer, {
        method: "GET",
        url: api.base,
        headers: { accept: "*/*", "user-agent": api.credentials["user-agent"] ?? "pawl" },
        credentials: api.credentials,
        signal,
        maxRedirects: MOST_REDIRECTS,
        maxResponseBytes: MOST_BYTES,
      });
      return judged(status, `GET ${publicUrl(url)} answered ${status}`);
    },
  };
  return { probes: [settings, connect, request], end() {} };
}

function shakeHands(
  host: string,
  socket: Awaited<ReturnType<Dialer["connect"]>>,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const tls = connectTls({ socket, host, ...(isIP(host) === 0 ? { servername: host } : {}) });
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    tls.once("secureConnect", () => {
      signal.removeEventListener("abort", onAbort);
      tls.on("error", () => {});
      resolve();
    });
    tls.once("error", (error) => {
      signal.removeEventListener("abort", onAbort);
      reject(networkFault(error, host));
    });
  });
}

/** What a status says of a connection: the base URL itself is often nothing that can be asked for. */
function judged(status: number, what: string): string {
  if (status === 401 || status === 403 || status === 407) {
    throw new StepError("HTTP_STATUS", `${what}: the credentials were not accepted.`);
  }
  if (status >= 500) throw new StepError("HTTP_STATUS", `${what}: the server has trouble of its own.`);
  return status < 400 ? `${what}.` : `${what}: it is there, and has nothing under the base URL itself.`;
}
