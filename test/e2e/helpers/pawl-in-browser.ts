import assert from "node:assert/strict";
import type { SuiteContext, TestContext } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startTestPawl } from "../../helpers/running-pawl.ts";
import { openBrowser } from "./browser.ts";
import { ensureBuiltUi } from "./built-ui.ts";

/** How long something may take to show before a test gives up on it: a machine that builds others at the time is slow. */
export const PATIENCE_MS = 20_000;

const desktop = { width: 1280, height: 720 };

export type PawlInBrowser = Awaited<ReturnType<typeof startPawlInBrowser>>;
/** A page and its troubles: what its scripts threw, and what the policy forbade. */
export type Opened = Page & { troubles: string[] };

interface Opening {
  /** Whose page; the administrator's when left out. */
  token?: string;
  viewport?: { width: number; height: number };
  /** Nothing is in the cache, and the session is its own: for what signs out, or listens to all that the page does. */
  afresh?: boolean;
}

/** A Pawl with its interface built, and a browser to look at it. */
export async function startPawlInBrowser() {
  await ensureBuiltUi();
  const pawl = await startTestPawl();
  let browser: Browser;
  try {
    browser = await openBrowser();
  } catch (error) {
    await pawl.close();
    throw error;
  }
  let administrator: Promise<BrowserContext> | undefined;
  let left: Opened | undefined;

  async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    // What moves is looked at before it has arrived.
    const context = await browser.newContext({
      baseURL: pawl.url,
      locale: "en-GB",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    return context;
  }

  async function signedIn(token: string): Promise<BrowserContext> {
    const context = await newContext();
    const answer = await context.request.post("/session", { data: { token }, headers: { origin: pawl.url } });
    assert.equal(answer.status(), 200);
    return context;
  }

  /** A page of somebody new. */
  async function newPage(options: BrowserContextOptions = {}): Promise<Opened> {
    return withTroubles(await (await newContext(options)).newPage());
  }

  /**
   * The administrator stays signed in, with the scripts in the cache, and the page that a test has left is the next one's:
   * a new page is a new process, and took 1.6 s to show what the other shows after 0.4.
   */
  async function pageOfAdministrator(): Promise<Opened> {
    if (left) {
      const page = left;
      left = undefined;
      return page;
    }
    administrator ??= signedIn(pawl.admin);
    return withTroubles(await (await administrator).newPage());
  }

  /** A page of somebody who is signed in, at this path. */
  async function open(path = "/ui/", { token, viewport = desktop, afresh = false }: Opening = {}) {
    const own = token !== undefined || afresh;
    const page = own
      ? withTroubles(await (await signedIn(token ?? pawl.admin)).newPage())
      : await pageOfAdministrator();
    await page.setViewportSize(viewport);
    await page.goto(path);
    return page;
  }

  /** Ends what a test has opened, so that it does not cost the next one; says what it showed when the test failed. */
  async function leavePages(test: TestContext | SuiteContext): Promise<void> {
    const failed = "passed" in test && !test.passed;
    const shared = await administrator;
    left ??= failed ? undefined : (shared?.pages()[0] as Opened | undefined);
    left?.troubles.splice(0);
    for (const context of browser.contexts()) {
      for (const page of context.pages()) {
        if (failed) test.diagnostic(await shownBy(page));
        if (page !== left) await page.close();
      }
      if (context !== shared) await context.close();
    }
  }

  async function close(): Promise<void> {
    await browser.close();
    await pawl.close();
  }

  return { pawl, newPage, open, leavePages, close };
}

function withTroubles(page: Page): Opened {
  const troubles: string[] = [];
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => {
    // A refusal of the API is no trouble: pages show it.
    const expected = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !expected) troubles.push(message.text());
  });
  return Object.assign(page, { troubles });
}

/** For whoever reads the log of a machine that is far away. */
async function shownBy(page: Page): Promise<string> {
  const shown = await page
    .locator("body")
    .ariaSnapshot({ timeout: 2_000 })
    .catch((error: unknown) => String(error));
  return `${page.url()} shows:\n${shown}`;
}
