import type { Client } from "../../client/client.ts";
import type { ConnectionInput } from "../../contract/connection.ts";
import type { JobExecution } from "../../contract/execution.ts";
import type { VariableInput } from "../../contract/variable.ts";
import { companyJobs } from "./company-jobs.ts";
import { seedStores } from "./company-stores.ts";

export interface Seeded {
  /** Ids of the jobs by name. */
  jobs: Record<string, string>;
  /** Ids of the connections by name. */
  connections: Record<string, string>;
  /** Id of the price list. */
  dataset: string;
  /** One execution of each kind that a page shows. */
  executions: {
    completed: string;
    failed: string;
    waiting: string;
    deciding: string;
    refund: string;
    paused: string;
  };
}

/** Fills a Pawl with the jobs of a company and executions in every state, through the API alone. */
export async function seedCompany(client: Client): Promise<Seeded> {
  const collection = await client.createCollection({
    body: { name: "Finance", description: "What the books need" },
  });
  const jobs: Record<string, string> = {};
  for (const input of companyJobs) {
    const body = input.category === "finance" ? { ...input, collectionId: collection.data.id } : input;
    jobs[input.name] = (await client.createJob({ body })).data.id;
  }
  const start = async (name: string, parameters: Record<string, unknown> = {}, source = "cron") => {
    const triggeredBy = source === "ui" ? "manual" : source === "cron" ? "schedule" : "api";
    const body = { jobId: jobs[name]!, parameters, triggeredBy, triggerSource: source };
    return (await client.startJob({ body })).data.executionId;
  };
  const until = async (id: string, holds: (execution: JobExecution) => boolean): Promise<string> => {
    const giveUp = Date.now() + 30_000;
    for (;;) {
      const { data } = await client.getExecution({ params: { id } });
      if (holds(data)) return id;
      if (Date.now() > giveUp) throw new Error(`It does not come to that: ${JSON.stringify(data)}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const ended = (id: string) => until(id, ({ endTime }) => endTime !== null);

  const nightly = companyJobs.find(({ name }) => name === "nightly-orders")!;
  await client.replaceJob({
    params: { id: jobs[nightly.name]! },
    body: {
      ...nightly,
      concurrency: { limit: 2, onLimit: "queue" },
      timeoutMs: 1_800_000,
      tags: ["orders", "daily", "ledger"],
    },
  });
  const connected: Record<string, string> = {};
  for (const body of connections) connected[body.name] = (await client.upsertConnection({ body })).data.id;
  for (const variable of variables) await client.upsertVariable({ body: variable });
  const dataset = await seedStores(client);

  const quiet = [
    "customer-sync",
    "payroll-export",
    "price-list",
    "backup-check",
    "certificate-watch",
    "stock-report",
  ];
  const several = async (name: string, each: Record<string, unknown>[], source?: string) => {
    for (const parameters of each) await ended(await start(name, parameters, source));
  };
  const days = [10, 11, 12, 13, 14, 15].map((day) => ({ day: `2026-11-${day}`, limit: 90_000 }));
  await Promise.all([
    ...quiet.map((name) => several(name, [{}, {}, {}])),
    several(
      "invoice-import",
      ["Alder", "Birch", "Cedar"].map((supplier) => ({ supplier })),
      "partner",
    ),
    several("nightly-orders", days),
  ]);
  const failed = await ended(await start("invoice-import", { supplier: "Xylo" }, "partner"));
  const deciding = await start("nightly-orders", { day: "2026-11-20" }, "ui");
  const refund = await start(
    "refund-request",
    { customer: "Dogwood Ltd", amount: 129.9, why: "The hinges squeak." },
    "webhook",
  );
  const completed = await ended(
    await start("nightly-orders", { day: "2026-11-19", limit: 90_000, region: "south" }, "ui"),
  );
  const waiting = await start("restock-warehouse", { hall: 3 });
  const paused = await start("restock-warehouse", { hall: 1 }, "ui");
  await until(deciding, ({ status }) => status === "PAUSED");
  await until(refund, ({ status }) => status === "PAUSED");
  const sleeps = ({ stepExecutions }: JobExecution) => stepExecutions[1]?.status === "WAITING";
  await until(waiting, sleeps);
  await until(paused, sleeps);
  await client.pauseExecution({ body: { jobExecutionId: paused, reason: "Stock-taking in hall 1" } });
  return {
    jobs,
    dataset,
    connections: connected,
    executions: { completed, failed, waiting, deciding, refund, paused },
  };
}

const connections: ConnectionInput[] = [
  {
    name: "shop",
    connectionType: "rest-api",
    description: "Orders and customers of the web shop",
    variables: { baseUrl: "https://shop.example.com/api", token: "not-a-real-token" },
  },
  {
    name: "ledger",
    connectionType: "database-relational2",
    description: "Where the books are kept",
    variables: {
      host: "ledger.example.com",
      port: "5432",
      database: "ledger",
      username: "pawl",
      password: "not-a-real-password",
    },
  },
  {
    name: "post",
    connectionType: "email-smtp",
    description: "Sends what people are to read",
    variables: {
      host: "mail.example.com",
      port: "587",
      username: "pawl",
      password: "no",
      fromAddress: "pawl@example.com",
    },
  },
];

const variables: VariableInput[] = [
  { name: "CURRENCY", value: "EUR", description: "What amounts are in" },
  { name: "VAT_RATE", value: 0.19, description: "The usual rate" },
  {
    name: "SUPPLIER_PIN",
    value: "not-a-real-pin",
    secret: true,
    description: "Opens the suppliers' mailboxes",
  },
];
