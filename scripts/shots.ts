import type { Page } from "playwright-core";
import type { Seeded } from "../src/cli/demo/company.ts";

/** A page to make a picture of. */
export interface Shot {
  name: string;
  path: (seeded: Seeded) => string;
  /** Resolves when everything is there. */
  ready: (page: Page) => Promise<unknown>;
  /** The whole length of the page, not just what a screen shows. */
  whole?: boolean;
  /** How it is shown in the documents. */
  docs?: ("light" | "dark" | "phone" | "phone-dark")[];
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true }).waitFor();
const text = (what: string) => (page: Page) => page.getByText(what).first().waitFor();
const nightly = ({ jobs }: Seeded) => `/ui/jobs/${jobs["nightly-orders"]}`;

export const shots: Shot[] = [
  { name: "home", path: () => "/ui/", ready: heading("Home"), docs: ["light", "dark"] },
  { name: "jobs", path: () => "/ui/jobs", ready: text("certificate-watch"), docs: ["light"] },
  { name: "job", path: nightly, ready: text("Let finance look"), docs: ["light"] },
  {
    name: "start",
    path: (seeded) => `${nightly(seeded)}/start`,
    ready: text("Largest total"),
    docs: ["light", "phone"],
  },
  { name: "job-runs", path: (seeded) => `${nightly(seeded)}/runs`, ready: text("Completed") },
  { name: "versions", path: (seeded) => `${nightly(seeded)}/versions`, ready: text("nightly-orders") },
  {
    name: "editor",
    path: (seeded) => `${nightly(seeded)}/edit`,
    ready: async (page) => {
      await page.getByRole("button", { name: "Add them up" }).click();
      await page.getByLabel("JSONata expression").waitFor();
      await page.getByText("Nothing is wrong with it").waitFor();
    },
    docs: ["light"],
  },
  { name: "new-job", path: () => "/ui/jobs/new", ready: text("Nothing is wrong with it") },
  {
    name: "executions",
    path: () => "/ui/executions",
    ready: text("nightly-orders"),
    docs: ["light", "phone-dark"],
  },
  {
    name: "execution",
    path: ({ executions }) => `/ui/executions/${executions.completed}`,
    ready: text("Write the digest"),
    docs: ["light", "dark"],
  },
  {
    name: "execution-failed",
    path: ({ executions }) => `/ui/executions/${executions.failed}`,
    ready: text("Read the mailbox"),
    docs: ["light"],
  },
  {
    name: "execution-deciding",
    path: ({ executions }) => `/ui/executions/${executions.deciding}`,
    ready: text("Let finance look"),
  },
  {
    name: "execution-paused",
    path: ({ executions }) => `/ui/executions/${executions.paused}`,
    ready: text("Order the rest"),
  },
  { name: "approvals", path: () => "/ui/approvals", ready: text("refund-request"), docs: ["light", "phone"] },
  { name: "sign-in", path: () => "/ui/sign-in", ready: heading("Sign in to Pawl") },
  {
    name: "search",
    path: () => "/ui/jobs",
    ready: async (page) => {
      await page.getByText("certificate-watch").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("textbox", { name: "Search", exact: true }).fill("invoice");
      await page.getByText("Read the invoices of a supplier").last().waitFor();
    },
    docs: ["light"],
  },
];
