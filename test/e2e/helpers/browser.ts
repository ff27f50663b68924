import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { packedBrowser } from "./packed-browser.ts";

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser"];

// No sandbox: root has none, and it looks at nothing but our own pages. No GPU: what stands in for one draws on the CPU,
// slower than the browser's own way of doing without.
const args = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"];

/**
 * A browser: the one that CHROMIUM_PATH names, else the one that an npm package brings along, else one that is installed.
 * That of the package goes first since it is the same everywhere, and has no windows to prepare: the tests took 30 % less
 * processor time with it.
 */
export async function openBrowser(): Promise<Browser> {
  const named = process.env.CHROMIUM_PATH;
  const paths = named ? [named] : installed.filter((file) => existsSync(file));
  const ways = paths.map((executablePath) => () => chromium.launch({ executablePath, args }));
  if (!named) ways.unshift(openPacked);
  if (!named) ways.push(() => chromium.launch({ channel: "chrome", args }));
  const faults: unknown[] = [];
  for (const open of ways) {
    try {
      return await open();
    } catch (error) {
      faults.push(error);
    }
  }
  const wayOut = named
    ? `CHROMIUM_PATH is ${named}: name another Chromium or Chrome in it, or none.`
    : "Install Chromium or Google Chrome, or name one in CHROMIUM_PATH.";
  const said = faults.map((fault) => (fault instanceof Error ? fault.message : String(fault))).join("\n");
  throw new Error(`No browser can be started to look at the web interface. ${wayOut} It was tried:\n${said}`);
}

async function openPacked(): Promise<Browser> {
  const { executablePath, libraries, fonts } = await packedBrowser();
  const open = (env: NodeJS.ProcessEnv) =>
    chromium.launch({ executablePath, args, env: { ...process.env, FONTCONFIG_FILE: fonts, ...env } });
  try {
    return await open({});
  } catch (error) {
    // A small system lacks some that every desktop has. The package brings them too, from another system: as a last way.
    if (!String(error).includes("shared libraries")) throw error;
    return open({ LD_LIBRARY_PATH: libraries });
  }
}
