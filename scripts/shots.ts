import type { Page } from "playwright-core";
import type { Scene } from "./scene.ts";

/** A page to make a picture of. */
export interface Shot {
  name: string;
  path: (scene: Scene) => string;
  /** Resolves when everything is there. */
  ready: (page: Page) => Promise<unknown>;
  /** The whole length of the page, not just what a screen shows. */
  whole?: boolean;
  /** How it is shown in the documents. */
  docs?: ("light" | "dark" | "phone" | "phone-dark")[];
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true }).waitFor();
const text = (what: string) => (page: Page) => page.getByText(what).first().waitFor();
const press = (button: string, shows: string) => async (page: Page) => {
  await page.getByRole("main").getByRole("button", { name: button, exact: true }).click();
  await page.getByText(shows).first().waitFor();
};
const nightly = ({ jobs }: Scene) => `/ui/jobs/${jobs["nightly-orders"]}`;

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
    path: (scene) => `${nightly(scene)}/start`,
    ready: text("Largest total"),
  },
  { name: "job-runs", path: (scene) => `${nightly(scene)}/runs`, ready: text("Completed") },
  { name: "versions", path: (scene) => `${nightly(scene)}/versions`, ready: text("nightly-orders") },
  {
    name: "editor",
    path: (scene) => `${nightly(scene)}/edit`,
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
    name: "execution-step",
    path: ({ executions }) => `/ui/executions/${executions.completed}?step=total`,
    ready: text("customers"),
  },
  {
    name: "execution-restarted",
    path: ({ restarted }) => `/ui/executions/${restarted}?step=read&view=attempts`,
    ready: text("Read the mailbox"),
  },
  {
    name: "restart",
    path: ({ executions }) => `/ui/executions/${executions.failed}`,
    ready: press("Restart …", "From the step"),
  },
  {
    name: "pause",
    path: ({ executions }) => `/ui/executions/${executions.waiting}`,
    ready: press("Pause", "Reason"),
  },
  {
    name: "bulk",
    path: () => "/ui/executions",
    ready: async (page) => {
      await page.getByRole("button", { name: "All of these" }).click();
      await page.getByRole("menuitem", { name: "Stop all …" }).click();
      await page.getByRole("dialog").getByLabel("Reason").waitFor();
    },
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
  {
    name: "mcp-server",
    path: ({ mcpServer }) => `/ui/mcp-servers/${mcpServer}`,
    ready: press("Discover", "The server is online"),
  },
  {
    name: "mcp-settings",
    path: ({ mcpServer }) => `/ui/mcp-servers/${mcpServer}/settings`,
    ready: heading("Settings"),
  },
  { name: "datasets", path: () => "/ui/datasets", ready: text("price-list") },
  {
    name: "dataset",
    path: ({ dataset }) => `/ui/datasets/${dataset}`,
    ready: text("Wood screw"),
    docs: ["light"],
  },
  { name: "files", path: () => "/ui/files", ready: text("invoice-template") },
  { name: "file", path: ({ file }) => `/ui/files/${file}`, ready: text("Used by") },
  { name: "api-template", path: ({ template }) => `/ui/api-templates/${template}`, ready: text("Used by") },
  { name: "variable", path: ({ variable }) => `/ui/variables/${variable}`, ready: heading("Settings") },
  {
    name: "certificate",
    path: ({ certificate }) => `/ui/certificates/${certificate}`,
    ready: text("Used by"),
  },
  { name: "connection-types", path: () => "/ui/connections/new", ready: text("REST API") },
  { name: "api-templates", path: () => "/ui/api-templates", ready: text("get-order") },
  { name: "certificates", path: () => "/ui/certificates", ready: heading("Certificates") },
  {
    name: "mcp-bridge",
    path: () => "/ui/mcp-servers/bridge",
    ready: text("Assistants can run"),
    docs: ["light"],
  },
  { name: "tokens", path: () => "/ui/admin/tokens", ready: text("admin") },
  { name: "token", path: () => "/ui/admin/tokens", ready: press("New token", "Acts as") },
  { name: "principal", path: ({ principal }) => `/ui/admin/principals/${principal}`, ready: text("May do") },
  { name: "principals", path: () => "/ui/admin/principals", ready: text("everything") },
  { name: "audit", path: () => "/ui/admin/audit", ready: text("Verify") },
  {
    name: "system",
    path: () => "/ui/admin/system",
    ready: (page) => page.getByRole("heading", { level: 1 }).waitFor(),
  },
  { name: "approval-link", path: ({ approvalLink }) => approvalLink, ready: text("waits for this decision") },
  { name: "no-such-page", path: () => "/ui/nothing-here", ready: text("There is no such page") },
  {
    name: "no-such-job",
    path: () => "/ui/jobs/00000000-0000-7000-8000-000000000000",
    ready: text("It is not there"),
  },
  { name: "nothing-fits", path: () => "/ui/jobs?q=zzz", ready: text("No job fits") },
  {
    name: "navigation",
    path: () => "/ui/jobs",
    ready: async (page) => {
      await page.getByText("certificate-watch").first().waitFor();
      const burger = page.getByRole("button", { name: "Navigation" });
      if (await burger.isVisible()) await burger.click();
      await page.getByRole("button", { name: /^Account/ }).click();
    },
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
