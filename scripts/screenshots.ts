// Pictures of the main pages, made from what `pawl demo --keep` shows. `npm run screenshots` makes those of docs/;
// `-- --look <folder> [part of a name]` every page at two widths, light and dark, to be looked at.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Browser, Page } from "playwright-core";
import { boot } from "../src/cli/demo/run.ts";
import { createClient } from "../src/client/client.ts";
import { openBrowser } from "../test/e2e/helpers/browser.ts";
import { type Scene, seedScene } from "./scene.ts";
import { type Shot, shots } from "./shots.ts";

const { values, positionals } = parseArgs({
  options: {
    look: { type: "string" },
    url: { type: "string" },
    token: { type: "string" },
    scene: { type: "string" },
  },
  allowPositionals: true,
});

const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

interface Place {
  url: string;
  token: string;
  scene: Scene;
}

async function take(
  browser: Browser,
  place: Place,
  shot: Shot,
  options: { dark: boolean; small: boolean; file: string },
) {
  const context = await browser.newContext({
    baseURL: place.url,
    locale: "en-GB",
    colorScheme: options.dark ? "dark" : "light",
    viewport: options.small ? phone : desktop,
    deviceScaleFactor: options.small ? 2 : 1,
    reducedMotion: "reduce",
  });
  const page: Page = await context.newPage();
  await context.request.post("/session", { data: { token: place.token }, headers: { origin: place.url } });
  try {
    await page.goto(shot.path(place.scene));
    await shot.ready(page);
    await page.waitForLoadState("networkidle", { timeout: 1_200 }).catch(() => {});
    await page.screenshot({ path: options.file, fullPage: shot.whole ?? false, animations: "disabled" });
  } catch (error) {
    console.error(`${shot.name}: ${(error as Error).message.split("\n")[0]}`);
    await page.screenshot({ path: options.file });
  } finally {
    await context.close();
  }
}

async function prepared(cleanup: AsyncDisposableStack): Promise<Place> {
  if (values.url && values.token && values.scene) {
    return { url: values.url, token: values.token, scene: JSON.parse(values.scene) };
  }
  const { url, token } = await boot(cleanup);
  return { url, token, scene: await seedScene(createClient({ url, token }), cleanup) };
}

await using cleanup = new AsyncDisposableStack();
const place = await prepared(cleanup);
const browser = await openBrowser();
cleanup.defer(() => browser.close());
const wanted = shots.filter(
  ({ name }) => positionals.length === 0 || positionals.some((part) => name.includes(part)),
);
const folder = values.look ?? fileURLToPath(new URL("../docs/images", import.meta.url));
await mkdir(folder, { recursive: true });
for (const shot of wanted) {
  const at = (kind: string) => join(folder, `${shot.name}${kind}.png`);
  if (values.look === undefined) {
    for (const kind of shot.docs ?? []) {
      const [dark, small] = [kind.includes("dark"), kind.includes("phone")];
      await take(browser, place, shot, { dark, small, file: at(kind === "light" ? "" : `-${kind}`) });
    }
    continue;
  }
  for (const dark of [false, true]) {
    for (const small of [false, true]) {
      const kind = `-${small ? "phone" : "desktop"}-${dark ? "dark" : "light"}`;
      await take(browser, place, shot, { dark, small, file: at(kind) });
    }
  }
}
