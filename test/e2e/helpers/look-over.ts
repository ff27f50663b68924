import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  id: string;
  impact: string;
  nodes: { target: unknown[]; failureSummary: string }[];
}

const phone = { width: 390, height: 844 };

/**
 * Holds what a page shows to what every page owes: nothing that axe calls serious or critical, light and dark; nothing
 * wider than a phone; no trouble in its scripts. The page must be there in full when this is called.
 */
export async function lookOver(page: Page & { troubles: string[] }, name: string): Promise<void> {
  const size = page.viewportSize()!;
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await schemeIs(page, "light");
  const light = await violations(page);
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await schemeIs(page, "dark");
  // What does not depend on colours was just looked at.
  const dark = await violations(page, ["color-contrast"]);
  await page.setViewportSize(phone);
  const tooWide = await sticksOut(page);
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.setViewportSize(size);
  assert.deepEqual({ light, dark, tooWide }, { light: [], dark: [], tooWide: null }, name);
  assert.deepEqual(page.troubles, [], name);
}

async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Not as a script of the page: its policy lets no such thing in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found = await page.evaluate(
    (only) =>
      (
        globalThis as unknown as { axe: { run: (options: object) => Promise<{ violations: Violation[] }> } }
      ).axe
        .run({ resultTypes: ["violations"], ...(only ? { runOnly: only } : {}) })
        .then(({ violations }) => violations),
    rules,
  );
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 4).map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

async function schemeIs(page: Page, scheme: string): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme="${scheme}"]`).waitFor({ state: "attached" });
  // Colours on their way from one scheme to the other are those of neither.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((a) => a instanceof CSSTransition).map((a) => a.finished)).then(() => {})",
  );
}

/** What sticks out of the page, once the frame has had the time to move to its new place; null when all fits. */
export async function sticksOut(page: Page): Promise<unknown> {
  // Not by waitForFunction: it evaluates in the page, whose policy lets no such thing in.
  const giveUp = Date.now() + 2_000;
  for (;;) {
    const found: unknown = await page.evaluate(widest);
    if (found === null || Date.now() > giveUp) return found;
    await delay(50);
  }
}

/** What sticks out of the page on a phone; null when all fits. Text, since it is of the browser and not of Node. */
const widest = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return null;
  const out = [...document.querySelectorAll("body *")].filter(
    (element) => element.getBoundingClientRect().right > clientWidth + 1,
  );
  const last = out.at(-1);
  return scrollWidth + " px: " + out.length + " elements, such as <" + last?.tagName.toLowerCase() + ' class="' + last?.className + '">';
})()`;
