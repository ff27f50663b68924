import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { type Opened, PATIENCE_MS } from "./pawl-in-browser.ts";

export const phone = { width: 390, height: 844 };

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

// They are moderate or minor at most, and took 40 % of the time.
const passedOver = [
  "aria-allowed-role",
  "empty-heading",
  "heading-order",
  "hidden-content",
  "image-redundant-alt",
  "landmark-one-main",
  "landmark-unique",
  "page-has-heading-one",
  "presentation-role-conflict",
  "region",
  "skip-link",
];

/**
 * Holds what a page shows to what every page owes: nothing that axe calls serious or critical, light and dark; nothing
 * wider than a phone; no trouble in its scripts. The page must be there in full when this is called, and is left in the
 * other colours: to go back would draw all of it once more.
 */
export async function lookOver(page: Opened, name: string): Promise<void> {
  // A list that is being read anew is pale meanwhile.
  await page.locator("[data-stale]").first().waitFor({ state: "detached" });
  const size = page.viewportSize()!;
  const scheme = page.locator("html[data-mantine-color-scheme]");
  const first = await scheme.getAttribute("data-mantine-color-scheme");
  const second = first === "dark" ? "light" : "dark";
  const inFirst = await violations(page);
  await page.emulateMedia({ colorScheme: second });
  await page.locator(`html[data-mantine-color-scheme="${second}"]`).waitFor({ state: "attached" });
  // What does not depend on colours was just looked at.
  const inSecond = await violations(page, ["color-contrast"]);
  await page.setViewportSize(phone);
  const tooWide = await sticksOut(page);
  await page.setViewportSize(size);
  const found = { [`${first}`]: inFirst, [second]: inSecond, tooWide };
  assert.deepEqual(found, { light: [], dark: [], tooWide: null }, name);
  assert.deepEqual(page.troubles, [], name);
}

/** What axe calls serious or critical; `rules`: looks at these only. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  // Not as a script of the page: its policy lets no such thing in.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  const without = Object.fromEntries(passedOver.map((rule) => [rule, { enabled: false }]));
  const options: RunOptions = {
    resultTypes: ["violations"],
    ...(rules ? { runOnly: rules } : { rules: without }),
  };
  const found = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as AxeResults;
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.slice(0, 4).map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary}`),
    );
}

/** What sticks out of the page and goes on to do so; null as soon as all fits. */
export async function sticksOut(page: Page): Promise<unknown> {
  // Not by waitForFunction: it evaluates in the page, whose policy lets no such thing in.
  const giveUp = Date.now() + PATIENCE_MS;
  for (;;) {
    const found: unknown = await page.evaluate(widest);
    if (found === null || Date.now() > giveUp) return found;
    await delay(50);
  }
}

/** What sticks out of the page; null when all fits. Text, since it is of the browser and not of Node. */
const widest = `(() => {
  const { clientWidth, scrollWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return null;
  // Text sticks out of its element, which itself does not.
  const out = [...document.querySelectorAll("body *")].filter(
    (element) =>
      element.getBoundingClientRect().left + element.scrollWidth > clientWidth + 1 &&
      getComputedStyle(element).overflowX === "visible",
  );
  const last = out.at(-1);
  return scrollWidth + " px: " + out.length + " elements, such as <" + last?.tagName.toLowerCase() + ' class="' + last?.className + '">';
})()`;
