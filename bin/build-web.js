// Builds the web interface: `npm run build`, and by itself after `npm install` (with --on-install). Plain JavaScript that an
// old Node reads too: Vite needs a newer one, which the install brings along.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));

const onInstall = process.argv.includes("--on-install");
const vite = at("node_modules/vite/bin/vite.js");
const bundled = at(`node_modules/node/bin/${process.platform === "win32" ? "node.exe" : "node"}`);
const node = existsSync(bundled) ? bundled : process.execPath;

if (existsSync(at("web/vite.config.ts")) && existsSync(at("src/contract/routes.ts"))) {
  if (existsSync(vite)) build();
  else give("Vite is not installed: run `npm install` first");
} else if (!onInstall) {
  give("the sources of the web interface are not here");
}

function build() {
  const args = [vite, "build", "--logLevel", "warn"];
  // A NODE_ENV of the shell must not make a development build of it.
  const env = { ...process.env, NODE_ENV: "production" };
  const { status, error } = spawnSync(node, args, { cwd: at("web"), stdio: "inherit", env });
  if (error || status !== 0) give(error?.message ?? "see above");
}

/** An install goes on without it: the API, the command and the engine work. */
function give(reason) {
  console.error(`The web interface was not built (${reason}). To try again: npm run build`);
  if (!onInstall) process.exitCode = 1;
}
