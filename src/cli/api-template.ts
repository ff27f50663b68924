import type { Command } from "commander";
import { parse as parseYaml, stringify } from "yaml";
import { ClientError } from "../client/error.ts";
import type { ApiTemplate, ApiTemplateInput, ApiTemplateItem } from "../contract/api-template.ts";
import { placed, readSource } from "./apply.ts";
import { CliError } from "./exit.ts";
import { addNamedDelete, addNamedList, findNamed, type Noun } from "./named.ts";
import { openSession, type Session } from "./session.ts";
import { localTime, oneLine, paint, safe } from "./text.ts";

const templates: Noun<ApiTemplateItem> = {
  command: "api-template",
  word: "API template",
  search: ({ client }, body) => client.searchApiTemplates({ body }),
  remove: ({ client }, id, force) => client.deleteApiTemplate({ params: { id }, query: { force } }),
};

/** What `show` says of a template and no one may set. */
const ofTheServer = ["version", "createdAt", "createdBy", "updatedAt", "updatedBy"];

export function addApiTemplate(program: Command): void {
  const group = program.command("api-template").description("keep requests that http steps fill in and send");
  addApply(group);
  addNamedList(group, templates, ["NAME", "METHOD", "PATH", "CATEGORY", "UPDATED"], (one) => [
    oneLine(one.name, 60),
    one.method,
    oneLine(one.path, 60),
    oneLine(one.category, 30),
    localTime(one.updatedAt),
  ]);
  addShow(group);
  addNamedDelete(group, templates, "delete an API template; steps that use it fail from then on");
}

function addApply(group: Command): void {
  group
    .command("apply")
    .argument("<files...>", "YAML or JSON files; - reads standard input")
    .description("create an API template from a file, or change the one of its name")
    .addHelpText(
      "after",
      `
  name: get-order
  description: One order of the shop
  method: GET
  path: /orders/{{ params.id }}           # below the base URL of a rest-api connection
  query: { fields: [id, total] }
  parameters:                             # JSON Schema of what a step fills in
    type: object
    required: [id]
    properties: { id: { type: string } }

Examples:
  $ pawl api-template apply get-order.yaml
  $ pawl api-template show get-order | sed s/orders/invoices/ | pawl api-template apply -`,
    )
    .action(async (files: string[], _options, command: Command) => {
      const session = openSession(command);
      const applied: ApiTemplate[] = [];
      for (const file of files) {
        const { template, message } = await applyTemplate(session, file);
        applied.push(template);
        if (!session.json)
          console.log(`${safe(message)} ${paint("bold", safe(template.name))} ${template.id}`);
      }
      if (session.json) console.log(JSON.stringify(applied, null, 2));
    });
}

async function applyTemplate({ client }: Session, file: string) {
  const content = readSource(file);
  try {
    const { data, message } = await client.upsertApiTemplate({ body: readInput(content, file) });
    return { template: data, message };
  } catch (error) {
    throw error instanceof ClientError ? placed(error, file, content) : error;
  }
}

function readInput(content: string, file: string): ApiTemplateInput {
  const name = file === "-" ? "Standard input" : file;
  let parsed: unknown;
  try {
    parsed = parseYaml(content);
  } catch (cause) {
    throw new CliError("usage", `${name} is not YAML or JSON: ${(cause as Error).message.split("\n")[0]}`);
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new CliError("usage", `${name} must be one object with name, method and path.`);
  }
  const { body, ...given } = parsed as Record<string, unknown>;
  const own = Object.entries(given).filter(([key]) => !ofTheServer.includes(key));
  // As it is shown where there is none.
  return { ...Object.fromEntries(own), ...(body == null ? {} : { body }) } as ApiTemplateInput;
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<api-template>", "name or id")
    .description("print an API template as YAML, as apply takes it back")
    .action(async (nameOrId: string, _options, command: Command) => {
      const session = openSession(command);
      const { id } = await findNamed(templates, session, nameOrId);
      const { data } = await session.client.getApiTemplate({ params: { id } });
      const { id: _, version: _v, createdAt: _a, createdBy: _b, updatedAt: _c, updatedBy: _d, ...own } = data;
      session.result(data, () => safe(stringify(own)).trimEnd());
    });
}
