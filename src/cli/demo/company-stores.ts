import type { Client } from "../../client/client.ts";
import type { ApiTemplateInput } from "../../contract/api-template.ts";
import { selfSigned } from "./self-signed.ts";

const wares = ["Bolt M6", "Hinge 80", "Wood screw", "Bracket", "Washer M6"];
const rows = Array.from({ length: 140 }, (_, i) => ({
  sku: `B-${1000 + i}`,
  name: `${wares[i % wares.length]} ${1 + Math.floor(i / wares.length)}`,
  price: Math.round(80 + i * 37.5) / 100,
  stock: (i * 17) % 300,
  discontinued: i % 11 === 10,
  counted: `2026-11-${String(1 + (i % 20)).padStart(2, "0")}`,
}));

const templates: ApiTemplateInput[] = [
  {
    name: "get-order",
    description: "One order of the shop, with its lines",
    category: "shop",
    method: "GET",
    path: "/orders/{{ params.id }}",
    query: { lines: "all" },
    parameters: {
      type: "object",
      required: ["id"],
      properties: { id: { type: "integer", description: "Number of the order" } },
    },
  },
  {
    name: "book-invoice",
    description: "Books an invoice in the ledger",
    category: "finance",
    method: "POST",
    path: "/invoices",
    body: { json: { number: "{{ params.number }}", net: "{{ params.net }}" } },
    parameters: {
      type: "object",
      required: ["number", "net"],
      properties: { number: { type: "string" }, net: { type: "number", minimum: 0 } },
    },
  },
];

/** One that lasts, and one that a page warns of; the half day keeps it at twelve while somebody looks. */
const certificates = [
  { name: "partner-gateway", description: "By which the suppliers' gateway knows us", days: 700 },
  { name: "bank-client", description: "Signs in at the bank; ask them for a new one in time", days: 12.5 },
];

/** The tables, files, requests and certificates that the company's jobs work with. Answers the id of its price list. */
export async function seedStores(client: Client): Promise<string> {
  for (const body of templates) await client.upsertApiTemplate({ body });
  for (const { name, description, days } of certificates) {
    await client.upsertCertificate({
      body: { name, description, ...selfSigned(`${name}.example.com`, days) },
    });
  }
  await client.uploadFile({
    query: { name: "invoice-template.html", description: "What invoices are made from" },
    bytes: { type: "text/html", content: "<h1>Invoice {{ number }}</h1>\n<p>{{ net }} EUR</p>\n" },
  });
  const { data } = await client.uploadDataset({
    query: { name: "price-list", description: "What the shop sells, and for how much" },
    bytes: { type: "application/json", content: JSON.stringify(rows) },
  });
  return data.id;
}
