import { type LookupAddress, lookup as systemLookup } from "node:dns";
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher } from "undici";
import { networkFault } from "./dialer-faults.ts";
import {
  type AllowList,
  allowList,
  type EgressPolicy,
  isThisMachine,
  refuseAddress,
} from "./dialer-rules.ts";
import { StepError } from "./step-error.ts";

type Lookup = (
  hostname: string,
  options: { all: true; family?: number; hints?: number; verbatim?: boolean },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface DialerOptions {
  policy: EgressPolicy;
  /** Pawl's own ports (HTTP, embedded PostgreSQL), asked for at each connection: they are known late. */
  ownPorts(): Iterable<number>;
  /** What `strict` lets through besides the public internet: names, `*.domains`, addresses, ranges. */
  allow?: readonly string[];
  connectTimeoutMs?: number;
  /** Stands in for the system's resolver in tests. */
  lookup?: Lookup;
}

/**
 * Every outbound connection of Pawl is made here. Checked are the host when it is an address, every address that a name
 * resolves to, and the peer that was reached: Node never asks `lookup` about an address, and a name may resolve differently twice.
 */
export interface Dialer {
  /** For undici. It follows no redirects: `guardedRequest` does. */
  dispatcher: Dispatcher;
  /** The same with a certificate of ours, or other authorities than the usual ones. Close it after use. */
  dispatcherWith(identity: TlsIdentity): Dispatcher;
  /** A connected TCP socket, for the other protocols. Hand it to `tls.connect({ socket })` where TLS is wanted. */
  connect(
    host: string,
    port: number,
    options?: { signal?: AbortSignal; timeoutMs?: number },
  ): Promise<Socket>;
  /** Ends idle connections and cuts the others. */
  close(): Promise<void>;
}

/** What we show of ourselves in TLS, and whom we trust; all of it PEM. */
export interface TlsIdentity {
  /** With the certificates between it and its authority, in order. */
  certificate?: string | undefined;
  privateKey?: string | undefined;
  /** Instead of the authorities that are trusted by default. */
  authorities?: string | undefined;
}

const CONNECT_TIMEOUT_MS = 10_000;

export function createDialer(options: DialerOptions): Dialer {
  const timeout = options.connectTimeoutMs ?? CONNECT_TIMEOUT_MS;
  const guard = createGuard(options);
  const dispatcher = createDispatcher(guard, timeout, {});

  return {
    dispatcher,
    dispatcherWith: (identity) => createDispatcher(guard, timeout, identity),
    connect(host, port, { signal, timeoutMs = timeout } = {}) {
      return new Promise<Socket>((resolve, reject) => {
        const name = withoutBrackets(host.trim());
        const refused = name === "" ? emptyHost() : guard.refuseHost(name, port);
        if (refused) return reject(refused);
        const lookup = guard.lookup(guard.isOwnPort(port));
        const socket = connectTcp({ host: name, port, lookup, autoSelectFamily: true });
        guard.checkPeer(socket, name, port);
        const settle = () => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", onAbort);
          socket.off("error", onError);
        };
        const onError = (error: Error) => {
          settle();
          reject(networkFault(error, `${name}:${port}`));
        };
        const onAbort = () => {
          settle();
          socket.on("error", () => {});
          socket.destroy();
          reject(signal?.reason);
        };
        const timer = setTimeout(() => {
          socket.destroy(Object.assign(new Error("connect timeout"), { code: "ETIMEDOUT" }));
        }, timeoutMs);
        socket.once("error", onError);
        socket.once("connect", () => {
          if (socket.destroyed) return;
          settle();
          resolve(socket);
        });
        signal?.addEventListener("abort", onAbort, { once: true });
        if (signal?.aborted) onAbort();
      });
    },
    async close() {
      await dispatcher.destroy();
    },
  };
}

type Guard = ReturnType<typeof createGuard>;

function createDispatcher(guard: Guard, timeout: number, identity: TlsIdentity): Agent {
  const { certificate: cert, privateKey: key, authorities: ca } = identity;
  const tls = { ...(cert && { cert }), ...(key && { key }), ...(ca && { ca }) };
  // The lookup is not told the port: one connector for ports of ours, one for all others.
  // HTTP/2 is left out: one more protocol for a hostile server to play with, and jobs gain little from it.
  const connectors = {
    own: buildConnector({ lookup: guard.lookup(true), timeout, allowH2: false, ...tls }),
    other: buildConnector({ lookup: guard.lookup(false), timeout, allowH2: false, ...tls }),
  };
  return new Agent({
    allowH2: false,
    connect(target, callback) {
      const host = withoutBrackets(target.hostname);
      const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
      const refused = guard.refuseHost(host, port);
      if (refused) return callback(refused, null);
      const connector = guard.isOwnPort(port) ? connectors.own : connectors.other;
      let stranger: StepError | undefined;
      // The types say void; undici answers the socket, and only there can the peer be checked before TLS speaks to it.
      const socket = connector(target, (...outcome) => {
        if (stranger) callback(stranger, null);
        else callback(...outcome);
      }) as unknown as Socket;
      guard.checkPeer(socket, host, port, (refused) => {
        stranger = refused;
      });
    },
  });
}

function createGuard({ policy, ownPorts, allow = [], lookup = systemLookup as Lookup }: DialerOptions) {
  const allowed: AllowList = allowList(allow);

  function refuse(host: string, address: string, ownPort: boolean): StepError | undefined {
    const lifted = allowed.host(host) || allowed.address(address);
    const rule = refuseAddress(address, policy, lifted);
    if (rule !== undefined) return blocked(host, rule, policy);
    if (ownPort && isThisMachine(address)) return blocked(host, "Pawl itself listens there", policy);
    return undefined;
  }

  function isOwnPort(port: number): boolean {
    for (const own of ownPorts()) if (own === port) return true;
    return false;
  }

  return {
    isOwnPort,
    refuseHost(host: string, port: number): StepError | undefined {
      return isIP(host) === 0 ? undefined : refuse(host, host, isOwnPort(port));
    },
    /** Refuses when any address is refused: which of them is reached is not ours to choose. */
    lookup(ownPort: boolean): LookupFunction {
      return (hostname, options, callback) => {
        const { family, hints } = options as { family?: number; hints?: number };
        lookup(hostname, { family, hints, all: true }, (error, addresses) => {
          if (error) return callback(error, "", 0);
          for (const { address } of addresses) {
            const refused = refuse(hostname, address, ownPort);
            if (refused) return callback(refused, "", 0);
          }
          if (options.all) return callback(null, addresses);
          const first = addresses[0]!;
          callback(null, first.address, first.family);
        });
      };
    },
    checkPeer(socket: Socket, host: string, port: number, onRefused?: (refused: StepError) => void): void {
      socket.prependOnceListener("connect", () => {
        const refused = refuse(host, socket.remoteAddress ?? "", isOwnPort(port));
        if (!refused) return;
        onRefused?.(refused);
        socket.destroy(refused);
      });
    },
  };
}

function blocked(host: string, rule: string, policy: EgressPolicy): StepError {
  const remedy =
    policy === "strict" ? " An administrator can allow internal hosts with PAWL_EGRESS_ALLOW." : "";
  return new StepError("EGRESS_BLOCKED", `Steps may not connect to ${host}: ${rule}.${remedy}`, {
    retryable: false,
  });
}

function emptyHost(): StepError {
  return new StepError("INVALID_INPUT", "The host to connect to is empty.", { retryable: false });
}

function withoutBrackets(host: string): string {
  return host.startsWith("[") && host.endsWith("]") ? host.slice(1, -1) : host;
}
