#!/usr/bin/env node
// Plain JavaScript that an old Node reads too: src/ is TypeScript and needs Node 24.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

if (Number(process.versions.node.split(".")[0]) >= 24) {
  // Halves the start of a command. Not in the common temporary folder, Node's default, where another account could put code.
  module.enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/pawl", import.meta.url)));
  await import("../src/cli/pawl.ts");
} else {
  const own = process.platform === "win32" ? "node.exe" : "node";
  const newer = fileURLToPath(new URL(`../node_modules/node/bin/${own}`, import.meta.url));
  if (existsSync(newer)) {
    runWith(newer);
  } else {
    console.error(
      `Pawl needs Node 24 or newer, and this is Node ${process.versions.node}. ` +
        "Run `npm install` in Pawl's folder, which brings one along, or install a newer Node.",
    );
    process.exitCode = 2;
  }
}

/** Runs this same command with another Node, as if it were this process: signals and exit code pass through. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  const signals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    console.error(`Pawl's own Node could not be started: ${error.message}. Run \`npm install\` again.`);
    process.exitCode = 2;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : code;
  });
}
