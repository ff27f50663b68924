import type { JobInput } from "../../contract/job.ts";

type StepOf = JobInput["steps"][number];

const pause = (duration: string): StepOf => ({
  key: "settle",
  name: "Let the warehouse settle",
  type: "wait",
  input: { duration },
});

/** Jobs as a small trading company has them: with parameters, retries, conditions, decisions, and one that often fails. */
export const companyJobs: JobInput[] = [
  {
    name: "nightly-orders",
    description: "Pull yesterday's orders, add them up and let finance look at large days",
    category: "finance",
    tags: ["orders", "daily"],
    parameters: {
      type: "object",
      additionalProperties: false,
      required: ["day"],
      properties: {
        day: { type: "string", format: "date", title: "Day", description: "The day whose orders are pulled" },
        region: { type: "string", title: "Region", enum: ["north", "south", "west"], default: "north" },
        limit: {
          type: "integer",
          title: "Largest total without a look",
          minimum: 0,
          default: 10_000,
          description: "In euros; above it finance decides",
        },
        dryRun: { type: "boolean", title: "Dry run", default: false },
      },
    },
    steps: [
      {
        key: "fetch",
        name: "Fetch the orders",
        type: "script",
        retry: { maxAttempts: 3, initialDelayMs: 200 },
        timeoutMs: 30_000,
        input: {
          source: `const count = 40 + params.day.length;
const orders = Array.from({ length: count }, (_, i) => ({
  id: "A-" + (20410 + i), customer: ["Alder & Co", "Birch GmbH", "Cedar SA", "Dogwood Ltd"][i % 4],
  region: params.region, items: 1 + (i * 7) % 9, amount: 80 + (i * 37) % 410, paid: i % 5 !== 0,
}));
console.log("page 1 of 1, " + orders.length + " orders");
return { day: params.day, source: "shop", orders };`,
        },
      },
      {
        key: "total",
        name: "Add them up",
        type: "transform",
        input: {
          data: "{{ steps.fetch.output.orders }}",
          expression:
            '{ "count": $count($), "total": $sum(amount), "unpaid": $count($[paid = false]), "customers": $distinct(customer) }',
        },
      },
      {
        key: "look",
        name: "Let finance look",
        type: "approval",
        when: "steps.total.output.total > params.limit",
        input: {
          message:
            "Orders of {{ params.day }} in the {{ params.region }} come to {{ steps.total.output.total }} €.\nBook them?",
          form: {
            type: "object",
            required: ["account"],
            properties: {
              account: { type: "string", title: "Account", enum: ["4400 Revenue", "4410 Export"] },
              note: { type: "string", title: "Note for the ledger" },
            },
          },
          deadline: "2d",
          onDeadline: "reject",
        },
      },
      {
        key: "book",
        name: "Book the day",
        type: "log",
        input: { message: "Booked {{ steps.total.output.total }} € of {{ params.day }}" },
      },
      {
        key: "digest",
        name: "Write the digest",
        type: "set",
        onError: "continue",
        input: {
          values: {
            subject: "Orders of {{ params.day }}",
            lines: "{{ steps.total.output.count }}",
            customers: "{{ steps.total.output.customers }}",
          },
        },
      },
    ],
    concurrency: { limit: 5, onLimit: "queue" },
    timeoutMs: 3_600_000,
  },
  {
    name: "invoice-import",
    description: "Read the invoices of a supplier and match them with what was ordered",
    category: "finance",
    tags: ["invoices", "hourly"],
    parameters: {
      type: "object",
      required: ["supplier"],
      properties: {
        supplier: { type: "string", title: "Supplier" },
        strict: { type: "boolean", default: true },
      },
    },
    steps: [
      {
        key: "read",
        name: "Read the mailbox",
        type: "script",
        retry: { maxAttempts: 3, initialDelayMs: 100, factor: 2 },
        input: {
          source: `console.log("mailbox of " + params.supplier);
if (params.supplier.startsWith("X")) { console.error("the mailbox does not answer"); throw new Error("The mailbox of " + params.supplier + " refused the connection: 550 no such user"); }
return { invoices: [{ number: "R-1041", net: 1180.5, vat: 224.3 }, { number: "R-1042", net: 96, vat: 18.24 }] };`,
        },
      },
      {
        key: "match",
        name: "Match with orders",
        type: "transform",
        input: {
          data: "{{ steps.read.output.invoices }}",
          expression: '{ "gross": $sum($.(net + vat)), "matched": $count($) }',
        },
      },
      {
        key: "done",
        name: "Tell accounting",
        type: "log",
        input: { message: "{{ steps.match.output.matched }} matched" },
      },
    ],
  },
  {
    name: "restock-warehouse",
    description: "Order what runs low, and wait for the supplier to confirm",
    category: "logistics",
    tags: ["warehouse"],
    parameters: {
      type: "object",
      properties: { hall: { type: "integer", minimum: 1, maximum: 4, default: 2, title: "Hall" } },
    },
    steps: [
      {
        key: "count",
        name: "Count the shelves",
        type: "set",
        input: { values: { low: ["bolts", "hinges"], hall: "{{ params.hall }}" } },
      },
      pause("45m"),
      { key: "order", name: "Order the rest", type: "log", input: { message: "ordered" } },
    ],
  },
  {
    name: "refund-request",
    description: "A customer wants money back: somebody decides",
    category: "support",
    tags: ["customers", "approval"],
    parameters: {
      type: "object",
      required: ["customer", "amount"],
      properties: {
        customer: { type: "string", title: "Customer" },
        amount: { type: "number", title: "Amount in €", minimum: 0 },
        why: { type: "string", title: "Why" },
      },
    },
    steps: [
      {
        key: "history",
        name: "Look up the history",
        type: "set",
        input: { values: { customer: "{{ params.customer }}", orders: 14, refunds: 1, since: "2021-03-02" } },
      },
      {
        key: "decide",
        name: "Decide on the refund",
        type: "approval",
        input: {
          message:
            "{{ params.customer }} asks for {{ params.amount }} € back.\nReason given: {{ params.why }}",
        },
      },
      { key: "pay", name: "Pay it back", type: "log", input: { message: "paid" } },
    ],
  },
  {
    name: "customer-sync",
    description: "Bring the addresses of customers from the shop to the ledger",
    category: "data",
    tags: ["customers", "hourly"],
    steps: [
      { key: "load", name: "Load changes", type: "set", input: { values: { changed: 128 } } },
      {
        key: "check",
        name: "Check the addresses",
        type: "script",
        input: {
          source:
            'for (let i = 0; i < 40; i++) console.log("address " + i + " is fine"); return { wrong: 0 };',
        },
      },
      { key: "write", name: "Write them", type: "log", input: { message: "128 written" } },
    ],
  },
  ...(
    [
      ["payroll-export", "Hand the month's hours to the payroll office", "people", ["monthly"]],
      ["price-list", "Compute the price list from purchase prices and margins", "sales", ["weekly"]],
      ["backup-check", "See that last night's backup can be read back", "operations", ["daily", "checks"]],
      ["certificate-watch", "Warn before a certificate expires", "operations", ["daily", "checks"]],
      ["newsletter", "Gather the month's news and send it to those who asked for it", "sales", ["monthly"]],
      ["stock-report", "What lies where, and for how long", "logistics", ["weekly", "reports"]],
      ["vat-return", "Prepare the advance VAT return", "finance", ["monthly", "reports"]],
    ] as const
  ).map(
    ([name, description, category, tags]): JobInput => ({
      name,
      description,
      category,
      tags: [...tags],
      steps: [
        { key: "gather", name: "Gather", type: "set", input: { values: { at: "{{ execution.id }}" } } },
        { key: "work", name: "Work it out", type: "script", input: { source: "return { rows: 12 };" } },
        { key: "tell", name: "Tell", type: "log", input: { message: "done" } },
      ],
    }),
  ),
];
