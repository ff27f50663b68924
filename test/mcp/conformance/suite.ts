import { spawn } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { scratchRoot } from "../../helpers/scratch.ts";

export type Revision = "2025-11-25" | "2026-07-28";

export interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

/** What the suite found, by scenario. */
export type Findings = Map<string, Check[]>;

const home = dirname(
  createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
);

/** Runs all that the official suite has of a revision against a server, each scenario in that revision's words. */
export function runSuite(url: string, revision: Revision): Promise<Findings> {
  return run(["server", "--url", `${url}/mcp`, "--requirements", revision]);
}

/** Lets a client of ours meet a server of the suite. */
export async function runClient(
  which: "validator" | "session",
  scenario: string,
  revision: Revision,
): Promise<Check[]> {
  const program = fileURLToPath(new URL("client.ts", import.meta.url));
  const command = `${process.execPath} ${program} ${which}`;
  const found = await run([
    "client",
    "--command",
    command,
    "--scenario",
    scenario,
    "--spec-version",
    revision,
  ]);
  return [...found.values()].flat();
}

async function run(given: string[]): Promise<Findings> {
  const directory = await mkdtemp(join(scratchRoot(), "pawl-conformance-"));
  try {
    const args = [...given, "-o", directory];
    const child = spawn(process.execPath, [join(home, "dist", "index.js"), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [said, faults] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const files = globSync("**/checks.json", { cwd: directory });
    if (files.length === 0)
      throw new Error(`The suite found nothing: ${said.slice(-2000)}${faults.slice(-2000)}`);
    return new Map(
      files.map((file) => [
        /^(?:server-)?(.+?)-\d{4}-\d\d-\d\dT/.exec(basename(dirname(file)))![1]!,
        JSON.parse(readFileSync(join(directory, file), "utf8")) as Check[],
      ]),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The scenarios that a server has to pass for a revision. */
export function requiredOf(revision: Revision): string[] {
  const file = join(home, "requirements", `${revision}.yaml`);
  return (parse(readFileSync(file, "utf8")) as { server: string[] }).server;
}

export function failuresOf(checks: Check[]): string[] {
  return checks.filter(({ status }) => status === "FAILURE").map(({ id }) => id);
}

/** Hands requests on with a token, which the suite has no way to send, and changes nothing else. */
export async function withToken(url: string, token: string) {
  const { hostname, port } = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const authorization = `Bearer ${token}`;
    const onward = request(
      { hostname, port, method, path, headers: { ...headers, authorization } },
      (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      return new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}
