import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** What each part may import besides itself. */
const mayImport: Record<string, readonly string[]> = {
  contract: [],
  lib: [],
  db: ["lib"],
  vault: ["lib"],
  client: ["contract"],
  http: ["contract", "lib"],
  engine: ["contract", "db", "lib"],
  engines: ["engine", "contract", "db", "lib"],
  plugins: ["contract", "lib"],
  jobs: ["contract", "lib", "db", "http", "vault"],
  executions: ["contract", "lib", "db", "http", "vault", "engine"],
  identity: ["contract", "lib", "db", "http", "vault"],
  registry: ["contract", "lib", "db", "http", "vault"],
  bridge: ["contract", "lib", "client"],
  configuration: ["contract", "lib", "db", "http", "vault"],
  audit: ["contract", "lib", "db", "http", "vault"],
  cli: ["contract", "lib", "client", "config"],
  config: ["lib"],
};

/** The composition root: it alone may know every part. */
const compositionRoot = [
  "src/main.ts",
  "src/compose-bridge.ts",
  "src/compose-configuration.ts",
  "src/compose-identity.ts",
  "src/compose-records.ts",
  "src/compose-registry.ts",
  "src/compose-resources.ts",
  "src/compose-runtime.ts",
  "src/compose-service.ts",
  "src/compose-vault.ts",
  "src/database.ts",
  "src/logger.ts",
  "src/recovery.ts",
];

/** Files that may pass the limit, each with its reason. */
const longFiles: Record<string, string> = {
  "src/contract/routes.ts": "the route table: one list, read from top to bottom",
  "test/conformance/model/real.ts": "the engine under a random history, with all that is checked of it",
};
const longest = 350;

/** Where the command line starts a server in its own process, or opens its data, it loads the composition root. */
const maySpawnServer = [
  "src/cli/serve.ts",
  "src/cli/demo/run.ts",
  "src/cli/reset-admin.ts",
  "src/cli/abandon-keys.ts",
];

const sources = globSync("src/**/*.ts", { cwd: root });
const web = globSync("web/src/**/*.{ts,tsx}", { cwd: root });
const production = sources.filter((file) => !file.endsWith(".test.ts"));

/** `src/jobs/store.ts` belongs to `jobs`; `src/config.ts` and `src/config-kinds.ts` to `config`; the root to no part. */
function partOf(file: string): string | undefined {
  const [first, second] = relative(join(root, "src"), resolve(root, file)).split("/");
  if (second !== undefined) return first;
  return compositionRoot.includes(file) ? undefined : first!.replace(/\.ts$/, "").split("-")[0];
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g);
  return [...found].map(([, specifier]) => specifier!);
}

test("imports go one way, as the table says", () => {
  const wrong: string[] = [];
  for (const file of production) {
    const from = partOf(file);
    if (from === undefined) continue;
    for (const specifier of importsOf(file).filter((specifier) => specifier.startsWith("."))) {
      const target = relative(root, resolve(root, dirname(file), specifier));
      if (target === "src/main.ts") {
        if (!maySpawnServer.includes(file)) wrong.push(`${file} -> ${target}`);
        continue;
      }
      if (!target.startsWith("src/")) {
        if (target !== "package.json") wrong.push(`${file} -> ${target}`);
        continue;
      }
      const to = partOf(target)!;
      if (to !== from && !mayImport[from]?.includes(to)) wrong.push(`${file} -> ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the web interface imports the contract and the client of Pawl, and nothing that only Node has", () => {
  const wrong = web.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => {
        if (specifier.startsWith(".")) return !join(dirname(file), specifier).startsWith("web/src/");
        return /^(node:|src\/)/.test(specifier);
      })
      .map((specifier) => `${file} -> ${specifier}`),
  );
  assert.ok(web.length > 0);
  assert.deepEqual(wrong, []);
});

test("the web interface shows text as text", () => {
  const wrong = web.filter((file) =>
    /dangerouslySetInnerHTML|\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function\(/.test(
      readFileSync(join(root, file), "utf8"),
    ),
  );
  assert.deepEqual(wrong, []);
});

test("every part that exists is in the table", () => {
  const parts = new Set(production.map(partOf).filter((part) => part !== undefined));
  assert.deepEqual(
    [...parts].filter((part) => !(part in mayImport)),
    [],
  );
});

test("no file imports itself through others", () => {
  const graph = new Map(
    production.map((file) => [
      file,
      valueImportsOf(file).map((specifier) => relative(root, resolve(root, dirname(file), specifier))),
    ]),
  );
  const done = new Set<string>();
  const path: string[] = [];
  const cycles: string[] = [];
  const visit = (file: string): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
    if (done.has(file) || path.includes(file)) return;
    path.push(file);
    for (const next of graph.get(file) ?? []) visit(next);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  assert.deepEqual(cycles, []);
});

/** Types are gone at run time: they make no cycle. */
function valueImportsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8").replaceAll(/\bimport type [^;]*;/g, "");
  return [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["'](\.[^"']+)["']/g)].map(([, found]) => found!);
}

test("SQL stands only in stores, in db and in the engines' journals", () => {
  const sql =
    /[`"']\s*(select\s.+\sfrom|insert into|update\s+\w+\s+set|delete from|create table|alter table)\s/is;
  const allowed = /^src\/(db\/|engine\/journal\/|engines\/|[a-z]+\/([a-z-]+\/)?([a-z-]+-)?store\.ts$)/;
  const wrong = production.filter(
    (file) => !allowed.test(file) && sql.test(readFileSync(join(root, file), "utf8")),
  );
  assert.deepEqual(wrong, []);
});

test("only http knows the envelope", () => {
  const wrong = production.filter(
    (file) =>
      !/^src\/(http|contract|client)\//.test(file) &&
      /status: "success"|status: "error"/.test(readFileSync(join(root, file), "utf8")),
  );
  assert.deepEqual(wrong, []);
});

test("only engines/restate imports the Restate SDK, and only the sandbox runs user code", () => {
  const owners: [RegExp, RegExp][] = [
    [/^@restatedev\//, /^src\/engines\/restate\//],
    [/^node:vm$/, /^src\/lib\/run-within\.ts$/],
    [/^(quickjs-emscripten|jsonata)/, /^src\/plugins\/(sandbox|script|transform)\//],
  ];
  const wrong = production.flatMap((file) =>
    importsOf(file)
      .filter((specifier) => owners.some(([library, owner]) => library.test(specifier) && !owner.test(file)))
      .map((specifier) => `${file} -> ${specifier}`),
  );
  assert.deepEqual(wrong, []);
  const evaluating = production.filter((file) =>
    /\beval\(|new Function\(/.test(readFileSync(join(root, file), "utf8")),
  );
  assert.deepEqual(evaluating, []);
});

test("a file holds one idea: none passes the limit without a reason", () => {
  const lengths = [
    ...sources,
    ...web,
    ...globSync("{test,bench}/**/*.ts", { cwd: root, exclude: ["**/node_modules/**"] }),
  ]
    .map((file) => [file, readFileSync(join(root, file), "utf8").split("\n").length] as const)
    .filter(([file]) => !file.endsWith(".test.ts"));
  const tooLong = lengths.filter(([file, lines]) => lines > longest && !(file in longFiles));
  assert.deepEqual(tooLong, []);
  const needless = Object.keys(longFiles).filter(
    (file) => !lengths.some(([name, lines]) => name === file && lines > longest),
  );
  assert.deepEqual(needless, [], "exceptions that nothing needs any more");
});

test("dependencies are pinned to one version", () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const loose = Object.entries<string>({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d/.test(version),
  );
  assert.deepEqual(loose, []);
});

test("no barrels, no folders of leftovers", () => {
  assert.deepEqual(
    sources.filter((file) => /(^|\/)(index|utils?|helpers|common|misc)(\.ts|\/)/.test(file)),
    [],
  );
});
