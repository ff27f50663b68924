import assert from "node:assert/strict";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { openBrowser } from "./browser.ts";
import { ensureBuiltUi } from "./built-ui.ts";

/** How long something may take to show before a test gives up on it: a machine that builds others at the time is slow. */
const PATIENCE_MS = 20_000;

export type PawlInBrowser = Awaited<ReturnType<typeof startPawlInBrowser>>;

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

  /** A page of somebody new, whose troubles are kept: what the page's scripts threw, and what the policy forbade. */
  async function newPage(options: BrowserContextOptions = {}): Promise<Page & { troubles: string[] }> {
    const context = await browser.newContext({ baseURL: pawl.url, locale: "en-GB", ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    const page = await context.newPage();
    const troubles: string[] = [];
    page.on("pageerror", (error) => troubles.push(String(error)));
    page.on("console", (message) => {
      // A refusal of the API is no trouble: pages show it.
      const expected = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !expected) troubles.push(message.text());
    });
    return Object.assign(page, { troubles });
  }

  return {
    pawl,
    newPage,
    /** A page of somebody who is signed in, at this path. */
    async open(
      path = "/ui/",
      { token = pawl.admin, ...options }: BrowserContextOptions & { token?: string } = {},
    ) {
      const page = await newPage(options);
      const headers = { origin: pawl.url };
      const answer = await page.context().request.post("/session", { data: { token }, headers });
      assert.equal(answer.status(), 200);
      await page.goto(path);
      return page;
    },
    async close(): Promise<void> {
      await browser.close();
      await pawl.close();
    },
  };
}

export type { RunningPawl };
