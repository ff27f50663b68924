import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** A browser: CHROMIUM_PATH, else one that is installed, else the one that an npm package brings along. */
export async function openBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH ?? installed.find((file) => existsSync(file));
  const own = ["--no-sandbox", "--disable-dev-shm-usage"];
  if (path) return chromium.launch({ executablePath: path, args: own });
  const { default: packed } = await import("@sparticuz/chromium");
  return chromium.launch({ executablePath: await packed.executablePath(), args: [...packed.args, ...own] });
}
