import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { toolErrors } from "../src/bridge/faults.ts";
import { tools } from "../src/bridge/tools/all.ts";
import { templates } from "../src/configuration/connection/templates.ts";
import { apiTemplateRoutes } from "../src/contract/api-template-routes.ts";
import { bridgeStates, scopeAuthorities } from "../src/contract/bridge.ts";
import { certificateRoutes } from "../src/contract/certificate-routes.ts";
import type { ConnectionField } from "../src/contract/connection.ts";
import { connectionRoutes } from "../src/contract/connection-routes.ts";
import { datasetRoutes } from "../src/contract/dataset-routes.ts";
import { type ExecutionStatus, executionStatuses, stepStatuses } from "../src/contract/execution.ts";
import { fileRoutes } from "../src/contract/file-routes.ts";
import type { JobInput } from "../src/contract/job.ts";
import { discoveryCodes, discoverySteps, mcpAuthTypes } from "../src/contract/mcp-server.ts";
import type { Route } from "../src/contract/routes.ts";
import { variableRoutes } from "../src/contract/variable-routes.ts";
import { next, type Trigger, transitions } from "../src/engine/transitions.ts";
import { requireValid } from "../src/jobs/definition.ts";
import { stepTypesByName } from "../src/jobs/step-type.ts";
import { createDialer } from "../src/lib/dialer.ts";
import { ROOTS } from "../src/lib/expression/compile.ts";
import { compileExpression } from "../src/lib/expression/expression.ts";
import { functions, mathFunctions, methods } from "../src/lib/expression/functions.ts";
import { isComprehension, MAX_NESTING } from "../src/lib/expression/macros.ts";
import { EXECUTION_FIELDS, JOB_FIELDS } from "../src/lib/expression/names.ts";
import { MAX_SOURCE } from "../src/lib/expression/parse.ts";
import { compileTemplate } from "../src/lib/expression/template.ts";
import { MAX_TEXT } from "../src/lib/expression/values.ts";
import { stepTypes } from "../src/plugins/all.ts";
import type { StepType } from "../src/plugins/plugin.ts";
import { createSandbox } from "../src/plugins/sandbox/pool.ts";
import { noResources } from "./helpers/no-sources.ts";
import { keptPawl } from "./helpers/pawl-command.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const pages = globSync(["*.md", "docs/**/*.md", "bench/*.md"], { cwd: root });

/** The rows of the tables whose first heading is this, without the heading. */
function rowsOf(page: string, heading: string): string[][] {
  const table = new RegExp(`^\\| ${heading} \\|.*\\n\\|[-|]+\\n((?:\\|.*\\n)*)`, "gm");
  return [...page.matchAll(table)].flatMap(([, rows]) =>
    rows!
      .trimEnd()
      .split("\n")
      .map((row) =>
        row
          .slice(1, -1)
          .split("|")
          .map((cell) => cell.trim()),
      ),
  );
}

const spansOf = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
const fencesOf = (text: string, language = "[a-z]*") =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, code]) => code!);
/** What a page shows as code: fences and spans. */
const codeOf = (page: string) => [...fencesOf(page), ...spansOf(page.replaceAll(/^```.*?^```/gms, ""))];

describe("docs/states.md", () => {
  const page = read("docs/states.md");

  test("draws the transition table, and nothing else", () => {
    const [drawn] = fencesOf(page, "mermaid");
    const lines = drawn!
      .trim()
      .split("\n")
      .map((line) => line.trim());
    const expected = transitions.map(({ from, trigger, to }) => `${from ?? "[*]"} --> ${to}: ${trigger}`);
    assert.deepEqual(lines, ["stateDiagram-v2", ...expected]);
  });

  test("has a cell for every status and action, as the transition table has it", () => {
    const [heading] = page.match(/^\| from \|.*$/m)!;
    const [, ...triggers] = heading
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim());
    assert.deepEqual(triggers, ["pause", "resume", "stop", "restart", "approve", "reject"]);
    const rows = rowsOf(page, "from");
    assert.deepEqual(rows.map(([status]) => status).sort(), [...executionStatuses].sort());
    for (const [status, ...cells] of rows) {
      const expected = triggers.map(
        (trigger) => next(status as ExecutionStatus, trigger as Trigger) ?? "409",
      );
      assert.deepEqual(cells, expected, status);
    }
  });

  test("explains every status of a step", () => {
    assert.deepEqual(
      rowsOf(page, "status").map(([status]) => status),
      [...stepStatuses],
    );
  });
});

describe("what the pages point to", () => {
  for (const file of pages) {
    test(`${file} links to what is there`, () => {
      const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
      const local = links.filter((link) => !/^(https?:|mailto:|#)/.test(link));
      const missing = local.filter((link) => !existsSync(join(root, dirname(file), link.split("#")[0]!)));
      assert.deepEqual(missing, []);
    });

    test(`${file} names files that are there`, () => {
      const named = codeOf(read(file)).flatMap((code) =>
        [
          ...code.matchAll(/(?<![\w./-])((?:src|test|docs|bench|examples|migrations|bin)\/[\w./-]*\w\/?)/g),
        ].map(([, path]) => path!),
      );
      assert.deepEqual(
        [...new Set(named)].filter((path) => !existsSync(join(root, path))),
        [],
      );
    });

    test(`${file} names npm scripts that are there`, () => {
      const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
      const named = codeOf(read(file)).flatMap((code) =>
        [...code.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start)\b)/g)].map((match) => match[1] ?? match[2]!),
      );
      assert.deepEqual(
        [...new Set(named)].filter((name) => !(name in scripts)),
        [],
      );
    });
  }

  test("commands of pawl that they show are commands, with these options", async () => {
    const shown = new Map<string, Set<string>>();
    for (const code of pages.flatMap((file) => codeOf(read(file)))) {
      for (const [, line] of code.matchAll(/(?<![\w./-])pawl ((?:[a-z][a-z-]* ?)+[^\n`#|)]*)/g)) {
        const [first, second = ""] = line!.trim().split(/\s+/);
        const grouped =
          [
            "job",
            "collection",
            "execution",
            "token",
            "principal",
            "vault",
            "audit",
            "connection",
            "var",
            "mcp",
            "mcp-server",
            "dataset",
            "file",
            "certificate",
            "api-template",
          ].includes(first!) && /^[a-z-]+$/.test(second);
        const command = grouped ? `${first} ${second}` : first!;
        const options = shown.get(command) ?? new Set();
        for (const [option] of line!.matchAll(/--[a-z-]+/g)) options.add(option);
        shown.set(command, options);
      }
    }
    assert.ok(shown.size >= 6, [...shown.keys()].join(", "));
    const groups = new Set([
      "",
      ...[...shown.keys()].filter((it) => it.includes(" ")).map((it) => it.split(" ")[0]!),
    ]);
    const help = async (...args: string[]) => (await keptPawl([...args, "--help"])).stdout;
    const known = new Set<string>();
    for (const group of groups) {
      const text = await help(...group.split(" ").filter(Boolean));
      for (const [, name] of text.matchAll(/^ {2}([a-z][a-z-]*)(?: \[| <| {2,})/gm))
        known.add(`${group} ${name}`.trim());
    }
    assert.deepEqual(
      [...shown.keys()].filter((command) => !known.has(command)),
      [],
    );
    for (const [command, options] of shown) {
      if (options.size === 0) continue;
      const text = await help(...command.split(" "));
      assert.deepEqual(
        [...options].filter((option) => !text.includes(option) && option !== "--help"),
        [],
        command,
      );
    }
  });
});

describe("docs/README.md", () => {
  test("leads to every page", () => {
    const page = read("docs/README.md");
    const there = globSync("docs/*.md", { cwd: root }).map((file) => file.slice("docs/".length));
    assert.deepEqual(
      there.filter((file) => file !== "README.md" && !page.includes(`](${file})`)),
      [],
    );
  });
});

describe("what the pages say of the configuration service", () => {
  const route = ({ method, path }: Route) => `${method} ${path.replace(/:([A-Za-z]+)/g, "{$1}")}`;
  const tables: [string, Record<string, Route>][] = [
    ["docs/connections.md", connectionRoutes],
    ["docs/global-variables.md", variableRoutes],
    ["docs/datasets.md", datasetRoutes],
    ["docs/files.md", fileRoutes],
    ["docs/certificates.md", certificateRoutes],
    ["docs/api-templates.md", apiTemplateRoutes],
  ];
  for (const [file, routes] of tables) {
    test(`${file} lists every endpoint with the right that it needs, and no other`, () => {
      const listed = rowsOf(read(file), "endpoint").map(([endpoint, needs]) => [
        spansOf(endpoint!)[0],
        needs,
      ]);
      const expected = Object.values(routes).map((each) => [
        route(each),
        each.access === "authenticated" ? "a valid token" : `\`${each.access}\``,
      ]);
      assert.deepEqual(listed.sort(), expected.sort());
    });
  }

  test("docs/connections.md lists every type with its variables and its destination", () => {
    const rows = rowsOf(read("docs/connections.md"), "connection type").map(
      ([type, category, variables, destination]) => [
        type,
        category,
        variables!.replace(/ \(.*\)$/, "").split(", "),
        destination,
      ],
    );
    const marked = ({ name, required, sensitive }: ConnectionField) => {
      const mark = (required ? "**" : "") + (sensitive ? "*" : "");
      return `${mark}${name}${mark}`;
    };
    assert.deepEqual(
      rows,
      templates.map(({ connectionType, category, fields, destination }) => [
        `\`${connectionType}\``,
        category,
        fields.map(marked),
        destination.join(", "),
      ]),
    );
  });
});

describe("docs/step-types.md", () => {
  const page = read("docs/step-types.md");
  const sections = new Map(
    [...page.matchAll(/^## `([\w-]+)`\n(.*?)(?=^## )/gms)].map(([, name, text]) => [name!, text!] as const),
  );
  const sandbox = createSandbox({ max: 1 });
  const dialer = createDialer({ policy: "strict", ownPorts: () => [] });
  let types: StepType[];

  before(() => {
    const registry = { findServer: async () => undefined, version: "" };
    types = stepTypes({ sandbox, dialer, resources: noResources(), registry });
  });
  after(async () => {
    await sandbox.close();
    await dialer.close();
  });

  interface Shape {
    properties?: Record<string, { default?: unknown; enum?: string[]; type?: string }>;
    required?: string[];
  }

  test("has a section for each type, and no other", () => {
    assert.deepEqual(
      [...sections.keys()],
      types.map(({ name }) => name),
    );
  });

  test("lists the fields of each input, with what they are by default", () => {
    const words: Record<string, string> = {
      string: "text",
      boolean: "bool",
      integer: "integer",
      number: "number",
      object: "object",
      array: "list",
    };
    for (const { name, input } of types) {
      const { properties = {}, required = [] } = input as Shape;
      const rows = rowsOf(sections.get(name)!, "input").map(([field, type, fallback]) => [
        field,
        type,
        fallback,
      ]);
      const expected = Object.entries(properties).map(([field, schema]) => [
        `\`${field}\``,
        schema.enum?.join(", ").replace(/, (\w+)$/, " or $1") ?? words[schema.type!] ?? "any",
        required.includes(field) ? "required" : schema.default === undefined ? "" : `\`${schema.default}\``,
      ]);
      assert.deepEqual(rows, expected, name);
    }
  });

  test("lists the fields of each output that has some", () => {
    for (const { name, output } of types) {
      const rows = rowsOf(sections.get(name)!, "output").map(([field]) => field);
      assert.deepEqual(
        rows,
        Object.keys((output as Shape).properties ?? {}).map((field) => `\`${field}\``),
        name,
      );
    }
  });

  test("shows examples that can be saved", async () => {
    for (const [name, section] of sections) {
      const examples = fencesOf(section, "yaml");
      assert.ok(examples.length > 0, name);
      for (const example of examples) {
        const steps = parse(example) as JobInput["steps"];
        assert.ok(
          steps.every((step) => step.type === name),
          name,
        );
        await requireValid({ name, steps }, stepTypesByName(types));
      }
    }
  });

  test("lists every code that a step can fail with, and no other", () => {
    const sources = globSync(
      [
        "src/plugins/**/*.ts",
        "src/lib/{dialer*,rest-api,sql/*}.ts",
        "src/engine/*.ts",
        "src/engines/**/*.ts",
        "src/compose-{runtime,resources}.ts",
        "src/jobs/confidential.ts",
      ],
      { cwd: root },
    );
    const codes = new Set<string>();
    for (const file of sources.filter((file) => !file.endsWith(".test.ts"))) {
      const raised =
        /(?:StepError\(|\bfault\(|\bcode:|"The (?:script|expression)",)\s*"([A-Z]+(?:_[A-Z]+)+)"/g;
      for (const [, code] of read(file).matchAll(raised)) codes.add(code!);
    }
    const listed = rowsOf(page, "code").map(([code]) => code!.replaceAll("`", ""));
    assert.deepEqual(listed.toSorted(), [...codes].sort());
    const mentioned = [...page.matchAll(/`([A-Z]+_[A-Z_]+)`/g)]
      .map(([, code]) => code!)
      .filter((it) => !it.startsWith("PAWL_"));
    assert.deepEqual(
      mentioned.filter((code) => !codes.has(code)),
      [],
    );
  });
});

describe("docs/mcp.md", () => {
  const page = read("docs/mcp.md");
  const plain = (cell = "") => cell.replaceAll("`", "");

  test("lists the tools with their scopes, and no other", () => {
    const rows = rowsOf(page, "tool").map(([name, scope]) => [plain(name), plain(scope)]);
    assert.deepEqual(
      rows,
      tools.map(({ name, scope }) => [name, scope]),
    );
  });

  test("says what each scope gives", () => {
    const rows = rowsOf(page, "scope").map(([scope, gives]) => [plain(scope), plain(gives)]);
    assert.deepEqual(
      rows,
      Object.entries(scopeAuthorities).map(([scope, gives]) => [scope, gives.join(", ")]),
    );
  });

  test("lists what a tool can be refused with, and why", () => {
    const rows = rowsOf(page, "code").map(([code, when]) => [plain(code), when]);
    assert.deepEqual(rows, Object.entries(toolErrors));
  });

  test("lists the states of the bridge", () => {
    assert.deepEqual(
      rowsOf(page, "status").map(([status]) => plain(status)),
      [...bridgeStates],
    );
  });
});

describe("docs/mcp-servers.md", () => {
  const page = read("docs/mcp-servers.md");

  test("lists the steps of a discovery, and why they fail, as the contract has them", () => {
    const words = (heading: string) => rowsOf(page, heading).map(([name]) => name!.replaceAll("`", ""));
    assert.deepEqual(words("step"), [...discoverySteps]);
    const codes = Object.keys(discoveryCodes);
    assert.deepEqual(words("reason"), [...codes, "HTTP_503", "RPC_-32603"]);
    assert.deepEqual(words("authType"), [...mcpAuthTypes]);
  });
});

describe("docs/expressions.md", () => {
  const page = read("docs/expressions.md");
  const there = /^## What there is\n(.*?)^## /ms.exec(page)![1]!;
  const words = new Set(spansOf(there).flatMap((span) => span.match(/[A-Za-z_]\w*/g) ?? []));

  test("names every function, method and macro", () => {
    const all = [...Object.keys(functions), ...Object.keys(methods), ...Object.keys(mathFunctions)];
    const macros = ["map", "filter", "all", "exists", "exists_one"];
    assert.ok(macros.every(isComprehension));
    assert.deepEqual(
      [...all, ...macros, "has"].filter((name) => !words.has(name)),
      [],
    );
  });

  test("names none that is not there", () => {
    const text = there.replaceAll(/`math\.abs`, (`\w+`, )*`\w+`/g, "");
    const called = spansOf(text).flatMap((span) => [...span.matchAll(/(\.?)([A-Za-z]\w*)\(/g)]);
    const faults: string[] = [];
    for (const [, dot, name] of called) faults.push(...missing(dot ? `params.x.${name}()` : `${name}()`));
    // Methods are listed by name alone.
    for (const span of spansOf(text.slice(text.indexOf("- Texts:")))) {
      if (/^[a-z]\w*$/i.test(span)) faults.push(...missing(`params.x.${span}()`));
    }
    const math = /`math\.abs`(, `\w+`)*/.exec(there)![0];
    for (const name of spansOf(math)) faults.push(...missing(`math.${name.replace("math.", "")}()`));
    assert.deepEqual(faults, []);
  });

  /** Says of what the language does not have that it has it not. */
  function missing(call: string): string[] {
    try {
      compileExpression(call);
    } catch (error) {
      if (/There is no (function|method)/.test((error as Error).message)) return [(error as Error).message];
    }
    return [];
  }

  test("names what can be referred to", () => {
    const rows = rowsOf(page, "name");
    assert.deepEqual(new Set(rows.map(([name]) => /^`(\w+)/.exec(name!)![1])), new Set(ROOTS));
    const fields = (name: string) => spansOf(rows.find(([first]) => first === `\`${name}\``)![1]!);
    assert.deepEqual(fields("execution"), [...EXECUTION_FIELDS]);
    assert.deepEqual(fields("job"), [...JOB_FIELDS]);
  });

  test("gives the limits that are in force", () => {
    const limits = Object.fromEntries(rowsOf(page, "what").map(([what, limit]) => [what!, limit!]));
    const number = (text: string | undefined) => Number(text!.replaceAll(",", "").match(/\d+/)![0]);
    assert.equal(number(limits["length of an expression"]), MAX_SOURCE);
    assert.equal(number(limits["text made by an expression or a template"]), MAX_TEXT);
    assert.equal(number(limits["`map`, `filter`, … inside each other"]), MAX_NESTING);
  });

  test("shows expressions that compile", () => {
    for (const example of fencesOf(page, "yaml")) {
      const { when, input } = parse(example) as { when: string; input: object };
      assert.doesNotThrow(() => compileExpression(when));
      assert.deepEqual(compileTemplate(input).faults, []);
    }
  });
});
