import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import type { BridgeCheck } from "../contract/bridge.ts";

/** What a bridge says of itself, without secrets or addresses: anyone may ask. */
export interface OwnHealth {
  service: "pawl-mcp-bridge";
  status: "Healthy" | "Misconfigured";
  version: string;
  protocolVersions: string[];
  checks: BridgeCheck[];
}

/** Resolves when what it looks at is as it must be; rejects with the reason, which the log gets and nobody else. */
export type Check = () => Promise<void>;

/** The reason that a check failed, in words that anyone may read. */
export class CheckFault extends Error {
  override readonly name = "CheckFault";
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const limitMs = 2_000;
const freshMs = 2_000;
export const protocolVersions: string[] = [
  "2026-07-28",
  ...SUPPORTED_PROTOCOL_VERSIONS.filter((it) => it !== "2026-07-28"),
];

/** Runs the checks at once, each within its time. Who asks again at once is told the same: checks cost the platform. */
export function ownHealth(options: {
  version: string;
  checks: Record<string, Check>;
  warn(fields: object, message: string): void;
}): () => Promise<OwnHealth> {
  let last: { at: number; answer: Promise<OwnHealth> } | undefined;

  async function look(): Promise<OwnHealth> {
    const checks = await Promise.all(
      Object.entries(options.checks).map(([name, check]) => outcomeOf(name, check, options.warn)),
    );
    const status = checks.every((check) => check.status !== "FAIL") ? "Healthy" : "Misconfigured";
    return { service: "pawl-mcp-bridge", status, version: options.version, protocolVersions, checks };
  }

  return () => {
    if (last === undefined || performance.now() - last.at > freshMs) {
      last = { at: performance.now(), answer: look() };
    }
    return last.answer;
  };
}

async function outcomeOf(
  name: string,
  check: Check,
  warn: (fields: object, message: string) => void,
): Promise<BridgeCheck> {
  const began = performance.now();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new CheckFault("TIMEOUT", `There was no answer within ${limitMs / 1000} seconds.`)),
    limitMs,
  );
  try {
    await Promise.race([check(), late.promise]);
    return { name, status: "PASS", latencyMs: Math.round(performance.now() - began) };
  } catch (error) {
    warn({ err: error, check: name }, "A check of the MCP bridge failed.");
    const { code, message } =
      error instanceof CheckFault ? error : { code: "FAILED", message: "It failed; the log has the reason." };
    return { name, status: "FAIL", latencyMs: Math.round(performance.now() - began), code, message };
  } finally {
    clearTimeout(timer);
  }
}
