import type { Page } from "playwright-core";

/** Goes to another place of the navigation as people do: the page is not loaded anew. */
export async function go(page: Page, place: string): Promise<void> {
  const navigation = page.getByRole("navigation", { name: "Main" });
  await navigation.getByRole("link", { name: place, exact: true }).click();
}
