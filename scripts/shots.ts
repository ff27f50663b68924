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
  {
    name: "home",
    path: () => "/ui/",
    ready: (page) => page.locator(".recharts-surface .recharts-bar-rectangle").first().waitFor(),
    docs: ["light"],
  },
  { name: "jobs", path: () => "/ui/jobs", ready: text("certificate-watch") },
  { name: "job", path: nightly, ready: text("Let finance look"), docs: ["light"] },
  {
    name: "start",
    path: (seeded) => `${nightly(seeded)}/start`,
    ready: text("Largest total"),
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
  },
  {
    name: "execution",
    path: ({ executions }) => `/ui/executions/${executions.completed}`,
    ready: text("Write the digest"),
  },
  {
    name: "execution-failed",
    path: ({ executions }) => `/ui/executions/${executions.failed}?step=read`,
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
  {
    name: "approvals",
    path: () => "/ui/approvals",
    ready: async (page) => {
      await page
        .getByText(/^Orders of/)
        .first()
        .click();
      await page.getByText("Account").first().waitFor();
    },
    docs: ["light"],
  },
  {
    name: "connection",
    path: ({ connections }) => `/ui/connections/${connections.shop}`,
    ready: heading("Settings"),
    docs: ["light"],
  },
  { name: "connections", path: () => "/ui/connections", ready: text("ledger") },
  { name: "variables", path: () => "/ui/variables", ready: text("CURRENCY") },
  {
    name: "mcp-servers",
    path: () => "/ui/mcp-servers",
    ready: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  { name: "datasets", path: () => "/ui/datasets", ready: text("price-list") },
  {
    name: "dataset",
    path: ({ dataset }) => `/ui/datasets/${dataset}`,
    ready: text("Wood screw"),
    docs: ["light"],
  },
  { name: "files", path: () => "/ui/files", ready: text("invoice-template") },
  { name: "api-templates", path: () => "/ui/api-templates", ready: text("get-order") },
  { name: "certificates", path: () => "/ui/certificates", ready: heading("Certificates") },
  {
    name: "mcp-bridge",
    path: () => "/ui/mcp-servers/bridge",
    ready: text("Assistants can run"),
    docs: ["light"],
  },
  { name: "tokens", path: () => "/ui/admin/tokens", ready: text("admin") },
  { name: "principals", path: () => "/ui/admin/principals", ready: text("everything") },
  { name: "audit", path: () => "/ui/admin/audit", ready: text("Create job") },
  {
    name: "system",
    path: () => "/ui/admin/system",
    ready: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  { name: "sign-in", path: () => "/ui/sign-in", ready: heading("Sign in to Pawl") },
  {
    name: "search",
    path: () => "/ui/jobs",
    ready: async (page) => {
      await page.getByText("certificate-watch").first().waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("textbox", { name: "Search", exact: true }).fill("invoice");
      await page.getByRole("dialog").getByText("Read the invoices of a supplier").waitFor();
    },
    docs: ["light"],
  },
];
