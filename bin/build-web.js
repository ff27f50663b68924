// Builds the web interface: `npm run build`, and by itself after `npm install` (with --on-install). Plain JavaScript that an
// old Node reads too: Vite needs a newer one, which the install brings along.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = new URL("..", import.meta.url);
const at = (path) => fileURLToPath(new URL(path, root));

const onInstall = process.argv.includes("--on-install");
const vite = at("node_modules/vite/bin/vite.js");
const bundled = at(`node_modules/node/bin/${process.platform === "win32" ? "node.exe" : "node"}`);
const node = existsSync(bundled) ? bundled : process.execPath;
/** How long what an earlier build left may still be asked for by a page that is open. */
const keptMs = 24 * 3_600_000;

if (existsSync(at("web/vite.config.ts")) && existsSync(at("src/contract/routes.ts"))) {
  if (existsSync(vite)) build();
  else give("Vite is not installed: run `npm install` first");
} else if (!onInstall) {
  give("the sources of the web interface are not here");
}

function build() {
  const made = at(`web/.built-${process.pid}`);
  const args = [vite, "build", "--logLevel", "warn", "--outDir", made];
  // A NODE_ENV of the shell must not make a development build of it.
  const env = { ...process.env, NODE_ENV: "production" };
  try {
    const { status, error } = spawnSync(node, args, { cwd: at("web"), stdio: "inherit", env });
    if (error || status !== 0) give(error ? error.message : "see above");
    else takeInto(at("web/dist"), made);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** A server that runs meanwhile serves the old pages or the new ones, and never half of them. */
function takeInto(dist, made) {
  mkdirSync(`${dist}/assets`, { recursive: true });
  const old = Date.now() - keptMs;
  for (const name of readdirSync(`${dist}/assets`)) {
    const file = `${dist}/assets/${name}`;
    if (statSync(file).mtimeMs < old) rmSync(file, { force: true });
  }
  const isPage = (name) => name.startsWith("index.html");
  cpSync(made, dist, { recursive: true, filter: (path) => !isPage(path.slice(made.length + 1)) });
  for (const name of readdirSync(made).filter(isPage).reverse()) {
    renameSync(`${made}/${name}`, `${dist}/${name}`);
  }
}

/** An install goes on without it: the API, the command and the engine work. */
function give(reason) {
  console.error(`The web interface was not built (${reason}). To try again: npm run build`);
  if (!onInstall) process.exitCode = 1;
}
