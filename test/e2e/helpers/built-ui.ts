import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, rmSync, statSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = [
  "web/src/**/*",
  "web/public/*",
  "web/build/*",
  "web/*.{ts,html,json}",
  "src/contract/*",
  "src/client/*",
];
const lock = `${root}web/node_modules/.building`;

/** Builds the web interface unless what is built is newer than every source. Test files that come at once build once. */
export async function ensureBuiltUi(): Promise<void> {
  for (;;) {
    if (isFresh()) return;
    if (take()) break;
    await delay(200);
  }
  try {
    if (isFresh()) return;
    const built = spawnSync(process.execPath, ["bin/build-web.js"], { cwd: root, encoding: "utf8" });
    if (built.status !== 0) throw new Error(`The web interface can't be built:\n${built.stderr}`);
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isFresh(): boolean {
  const built = modified("web/dist/index.html");
  return globSync(sources, { cwd: root }).every((file) => modified(file) <= built);
}

function modified(file: string): number {
  return statSync(`${root}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** A folder can be made by one only. One that was left behind by a test that was killed does not count for long. */
function take(): boolean {
  if (Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now()) > 120_000) {
    rmSync(lock, { recursive: true, force: true });
  }
  try {
    mkdirSync(`${root}web/node_modules`, { recursive: true });
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}
