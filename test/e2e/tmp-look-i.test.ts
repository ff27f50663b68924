import { test } from "node:test";
import { seedCompany } from "../../src/cli/demo/company.ts";
import { startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

test("look", async () => {
  const it = await startPawlInBrowser();
  try {
    const { executions } = await seedCompany(it.pawl.client);
    const flakyServer = (await import("../helpers/http-server.ts")).httpServer;
    let n = 0;
    await using server = await flakyServer(
      (_q, r) => void setTimeout(() => r.writeHead(n++ < 2 ? 503 : 200).end("{}"), 120),
    );
    const job = (
      await it.pawl.client.createJob({
        body: {
          name: "retries",
          steps: [
            { key: "a", name: "Prepare", type: "set", input: { values: { a: 1 } } },
            {
              key: "f",
              name: "Ask the shop",
              type: "http",
              retry: { maxAttempts: 4, initialDelayMs: 200 },
              input: { method: "GET", url: server.url },
            },
            { key: "w", name: "Let it settle", type: "wait", input: { durationMs: 400 } },
            { key: "s", name: "Skipped on weekends", type: "log", when: "false", input: { message: "x" } },
            {
              key: "z",
              name: "Fail on purpose",
              type: "script",
              input: {
                source:
                  "for (let i=0;i<30;i++) console.log('line '+i+' of the log'); console.error('bad'); throw new Error('The ledger is closed for 2026-11: ask accounting to open it.')",
              },
            },
            { key: "zz", name: "Never reached", type: "log", input: { message: "x" } },
          ],
        },
      })
    ).data;
    const retried = (await it.pawl.client.startJob({ body: { jobId: job.id, async: false } })).data
      .executionId;
    await it.pawl.client.restartExecution({
      body: { jobExecutionId: retried, reason: "The ledger was opened" },
    });
    await it.pawl.readUntil(retried, (e) => e.endTime !== null);
    const pages: [string, string][] = [
      ["home", "/ui/"],
      ["executions", "/ui/executions"],
      ["completed", `/ui/executions/${executions.completed}`],
      ["failed", `/ui/executions/${executions.failed}`],
      ["deciding", `/ui/executions/${executions.deciding}`],
      ["paused", `/ui/executions/${executions.paused}`],
      ["waiting", `/ui/executions/${executions.waiting}`],
      ["retried", `/ui/executions/${retried}?step=f&view=error`],
      ["retried-z", `/ui/executions/${retried}?step=z`],
      ["retried-log", `/ui/executions/${retried}?step=z&view=log`],
      ["retried-attempts", `/ui/executions/${retried}?step=z&view=attempts`],
      ["completed-step", `/ui/executions/${executions.completed}?step=fetch`],
      ["completed-input", `/ui/executions/${executions.completed}?step=total&view=input`],
      ["decide", `/ui/executions/${executions.deciding}?decide=approve`],
      ["approvals", "/ui/approvals"],
      ["approval", `/ui/approvals?execution=${executions.deciding}`],
    ];
    const only = process.env.ONLY?.split(",");
    for (const [how, options] of [
      ["desk", { viewport: { width: 1360, height: 900 } }],
      ["phone", { viewport: { width: 390, height: 844 } }],
      ["dark", { viewport: { width: 1360, height: 900 }, colorScheme: "dark" }],
    ] as const) {
      if (process.env.HOW && !process.env.HOW.split(",").includes(how)) continue;
      const page = await it.open("/ui/", options as never);
      for (const [name, path] of pages) {
        if (only && !only.includes(name)) continue;
        await page.goto(path);
        await page.locator("h1").first().waitFor();
        await page.waitForTimeout(1200);
        await page.screenshot({ path: `/tmp/shots-i/${name}-${how}.png`, fullPage: how === "phone" });
      }
      console.log(how, page.troubles);
    }
  } finally {
    await it.close();
  }
});
