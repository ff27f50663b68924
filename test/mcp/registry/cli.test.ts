import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keptPawl } from "../../helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "../../helpers/running-pawl.ts";
import { toolServer } from "../agent/tool-server.ts";

let pawl: RunningPawl;
let tools: Awaited<ReturnType<typeof toolServer>>;

before(async () => {
  [pawl, tools] = await Promise.all([startTestPawl(), toolServer()]);
});
after(() => Promise.all([pawl.close(), tools[Symbol.asyncDispose]()]));

const run = (args: string[], input = "") =>
  keptPawl(["mcp-server", ...args], { env: { PAWL_URL: pawl.url, PAWL_TOKEN: pawl.admin }, input });
const parsed = async (...args: string[]) => JSON.parse((await run([...args, "--json"])).stdout);

test("pawl mcp-server registers, discovers, shows and removes servers, and reads what is secret from standard input", async () => {
  const added = await run(["add", "My Tools", tools.url, "--auth", "bearer", "--discover"], "to+ken 1\n");
  assert.equal(added.code, 0, added.stderr);
  assert.match(added.stdout, /LIST_TOOLS +SUCCESS .*4 tools in 1 page/);
  assert.match(added.stdout, /online: 4 tools\.\nAdded: note, look, large, reveal/);
  assert.equal(tools.state.authorization, "Bearer to+ken 1");

  const plain = await run([
    "add",
    "away",
    "http://127.0.0.1:9/mcp",
    "--tag",
    "a",
    "--description",
    "Not there",
  ]);
  assert.match(plain.stdout, /Registered away \([0-9a-f-]{36}\)/);
  const custom = [
    "add",
    "custom",
    "http://127.0.0.1:9/mcp",
    "--auth",
    "custom",
    "--header",
    "X-A",
    "--header",
    "X-B",
  ];
  assert.equal((await run(custom, "X-A: one\nX-B: two\n")).code, 0);
  const shown = await parsed("show", "CUSTOM");
  assert.deepEqual(shown.authConfig, { headers: { "X-A": "********", "X-B": "********" } });

  const [all, [away], list] = await Promise.all([
    parsed("list"),
    parsed("list", "--tag", "a", "--status", "OFFLINE").then(async (none) => {
      assert.deepEqual(none, []);
      const failed = await run(["discover", "away"]);
      assert.equal(failed.code, 1);
      assert.match(failed.stdout, /RESOLVE_ADDRESS +FAILED .*\n(.*SKIPPED.*\n)+\nThe MCP server is offline/);
      return parsed("list", "--tag", "a", "--status", "OFFLINE");
    }),
    run(["tools", "my tools"]),
  ]);
  assert.deepEqual(
    all.map(({ name }: { name: string }) => name),
    ["My Tools", "away", "custom"],
  );
  assert.equal(away.lastError.code, "CONNECTION_REFUSED");
  assert.match(list.stdout, /look +yes +text +Looks something up/);

  const gone = await run(["remove", away.id, "--yes"]);
  assert.match(gone.stdout, /deleted/);
  const unknown = await run(["show", "my tool"]);
  assert.deepEqual([unknown.code, /Did you mean "My Tools"/.test(unknown.stderr)], [5, true], unknown.stderr);
});

test("pawl mcp-server says what is missing on the command line", async () => {
  const table: [string[], string, RegExp][] = [
    [["add", "x", tools.url, "--auth", "basic"], "", /needs --username/],
    [["add", "x", tools.url, "--username", "me"], "", /--username goes with --auth basic/],
    [["add", "x", tools.url, "--auth", "custom"], "", /needs --header/],
    [
      ["add", "x", tools.url, "--auth", "custom", "--header", "a", "--header", "b"],
      "a: one\n",
      /with a and b, each a text: b is none/,
    ],
    [["add", "x", tools.url, "--auth", "bearer"], "", /pipe token in/],
    [["remove", "My Tools"], "", /say --yes/],
  ];
  const outcomes = await Promise.all(table.map(([args, input]) => run(args, input)));
  for (const [i, { code, stderr }] of outcomes.entries()) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, table[i]![2]);
  }
});
