import type { BridgeCheck, BridgeHealth, BridgeState } from "../contract/bridge.ts";
import type { OwnHealth } from "./health.ts";

export interface ProbeOptions {
  /** Where the bridge answers, without /mcp. Undefined: none is known. */
  url: string | undefined;
  fetch: typeof fetch;
  /** A token that opens the bridge and nothing behind it. */
  token: string;
  /** What the platform itself sees of the bridge's needs. */
  besides(): Promise<BridgeCheck[]>;
}

const limitMs = 3_000;

const messages: Record<BridgeState, string> = {
  Healthy: "Assistants can run and monitor jobs.",
  Unavailable: "The bridge does not answer: AI assistants may be unable to run or monitor jobs.",
  Misconfigured: "The bridge runs, and assistants can't use it.",
};

interface Look {
  own: OwnHealth | undefined;
  checks: BridgeCheck[];
}

/** How the bridge is, seen from outside: what it says of itself, and whether it serves MCP. A dead process reports nothing. */
export async function probeBridge(options: ProbeOptions): Promise<BridgeHealth> {
  const began = performance.now();
  const { url } = options;
  const [{ own, checks: seen }, besides] = await Promise.all([
    url === undefined ? nowhere() : look({ ...options, url }),
    options.besides(),
  ]);
  const checks = [...seen, ...besides];
  const failed = checks.find(({ status }) => status === "FAIL");
  const state = own === undefined || isAway(checks) ? "Unavailable" : failed ? "Misconfigured" : "Healthy";
  return {
    status: state,
    message: failed?.message ? `${messages[state]} ${failed.message}` : messages[state],
    checkedAt: new Date().toISOString(),
    latencyMs: Math.round(performance.now() - began),
    version: own?.version ?? null,
    protocolVersions: own?.protocolVersions ?? [],
    checks,
  };
}

/** Nothing, or nothing of ours, answered where the bridge should. */
function isAway(checks: BridgeCheck[]): boolean {
  return checks.some(({ code }) => code === "NO_ANSWER" || code === "NOT_A_BRIDGE");
}

function nowhere(): Look {
  const message = "No bridge runs in this process, and PAWL_MCP_BRIDGE_URL names none.";
  return { own: undefined, checks: [{ name: "bridge", status: "FAIL", code: "NO_ANSWER", message }] };
}

async function look({ url, fetch, token }: ProbeOptions & { url: string }): Promise<Look> {
  const base = url.replace(/\/+$/, "");
  const [said, served] = await Promise.all([
    timed("bridge", () => readOwnHealth(`${base}/mcp/health`, fetch)),
    timed("mcp", () => discover(`${base}/mcp`, token, fetch)),
  ]);
  const own = said.value;
  return { own, checks: [said.check, served.check, ...(own?.checks ?? [])] };
}

class ProbeFault extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<{ value?: T; check: BridgeCheck }> {
  const began = performance.now();
  const latencyMs = () => Math.round(performance.now() - began);
  try {
    const value = await work();
    return { value, check: { name, status: "PASS", latencyMs: latencyMs() } };
  } catch (error) {
    const { code, message } = error instanceof ProbeFault ? error : silence(error);
    return { check: { name, status: "FAIL", latencyMs: latencyMs(), code, message } };
  }
}

function silence(error: unknown): { code: string; message: string } {
  const late = error instanceof DOMException && error.name === "TimeoutError";
  return {
    code: "NO_ANSWER",
    message: late ? `There was no answer within ${limitMs / 1000} seconds.` : "No connection could be made.",
  };
}

async function readOwnHealth(url: string, fetch: ProbeOptions["fetch"]): Promise<OwnHealth> {
  const response = await fetch(url, { signal: AbortSignal.timeout(limitMs), redirect: "manual" });
  const body: unknown = await response.json().catch(() => undefined);
  if (isOwnHealth(body)) return body;
  throw new ProbeFault(
    "NOT_A_BRIDGE",
    `Something answers there (HTTP ${response.status}) that is no bridge of Pawl.`,
  );
}

function isOwnHealth(body: unknown): body is OwnHealth {
  return (body as Partial<OwnHealth> | undefined)?.service === "pawl-mcp-bridge";
}

const revision = "2026-07-28";

/** What a client asks first. Its answer says that the door is open, and that the bridge's way to the platform is too. */
async function discover(url: string, token: string, fetch: ProbeOptions["fetch"]): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    signal: AbortSignal.timeout(limitMs),
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": revision,
      "mcp-method": "server/discover",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "server/discover",
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": revision,
          "io.modelcontextprotocol/clientCapabilities": {},
          "io.modelcontextprotocol/clientInfo": { name: "pawl-health", version: "1" },
        },
      },
    }),
  });
  const text = await response.text();
  if (response.ok && text.includes("supportedVersions")) return;
  throw refusalOf(response.status);
}

function refusalOf(status: number): ProbeFault {
  switch (status) {
    case 401:
      return new ProbeFault(
        "TOKEN_REFUSED",
        "It refuses a token that this Pawl made: it serves another one.",
      );
    case 403:
      return new ProbeFault(
        "HOST_REFUSED",
        "It refuses requests to its own address: set PAWL_MCP_ALLOWED_HOSTS there.",
      );
    case 503:
      return new ProbeFault("PLATFORM_UNAVAILABLE", "It can't ask the platform about tokens.");
    default:
      return new ProbeFault(`HTTP_${status}`, `It answers MCP requests with HTTP ${status}.`);
  }
}
