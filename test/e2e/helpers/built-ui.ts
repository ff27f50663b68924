import { spawnSync } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { madeOnce } from "./alone.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const sources = [
  "web/src/**/*",
  "web/public/*",
  "web/build/*",
  "web/*.{ts,html,json}",
  "src/contract/*",
  "src/client/*",
];

/** Builds the web interface unless what is built is newer than every source. */
export function ensureBuiltUi(): Promise<void> {
  return madeOnce(`${root}web/node_modules/.building`, isFresh, () => {
    const built = spawnSync(process.execPath, ["bin/build-web.js"], { cwd: root, encoding: "utf8" });
    if (built.status !== 0) throw new Error(`The web interface can't be built:\n${built.stderr}`);
  });
}

function isFresh(): boolean {
  const built = modified("web/dist/index.html");
  return globSync(sources, { cwd: root }).every((file) => modified(file) <= built);
}

function modified(file: string): number {
  return statSync(`${root}${file}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
