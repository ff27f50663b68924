import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "./helpers/database.ts";
import { keptPawl, type Outcome, type RunningCommand, runPawl, spawnPawl } from "./helpers/pawl-command.ts";

let folder: string;
let database: TestDatabase;
let server: RunningCommand;
let env: Record<string, string>;

function pawl(
  args: string[],
  options: { env?: Record<string, string>; input?: string } = {},
): Promise<Outcome> {
  return keptPawl(args, {
    cwd: folder,
    env: { ...env, ...options.env },
    ...(options.input ? { input: options.input } : {}),
  });
}

async function json(args: string[], options: Parameters<typeof pawl>[1] = {}) {
  const outcome = await pawl([...args, "--json"], options);
  assert.equal(outcome.code, 0, outcome.stderr);
  return JSON.parse(outcome.stdout);
}

/** Four at a time: most of a short command is the start of a process. */
async function eachOf<Item>(items: Item[], check: (item: Item) => Promise<void>): Promise<void> {
  const rest = [...items];
  const next = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await check(item);
  };
  await Promise.all([next(), next(), next(), next()]);
}

/** A port that nothing listens on. */
async function closedPort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((listening) => probe.listen(0, "127.0.0.1", listening));
  const { port } = probe.address() as AddressInfo;
  await new Promise((closed) => probe.close(closed));
  return port;
}

const echo = `name: echo
description: Says what it was told
tags: [test]
parameters:
  type: object
  properties:
    word: { type: string, default: hello }
    times: { type: integer, default: 1 }
steps:
  - { key: say, type: log, input: { message: "{{ params.word }}" } }
  - { key: keep, type: set, input: { values: { word: "{{ params.word }}", times: "{{ params.times }}" } } }
`;
const failing = `name: failing
steps:
  - { key: burst, type: script, input: { source: "throw new Error('no more coffee')" } }
`;
const waiting = `name: waiting
steps:
  - { key: long, type: wait, input: { duration: 1h } }
`;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "pawl-cli-"));
  database = await createTestDatabase();
  server = spawnPawl(["serve"], {
    cwd: folder,
    env: {
      DATABASE_URL: database.url,
      PAWL_DATA_DIR: join(folder, "data"),
      PAWL_PORT: "0",
      PAWL_LOG_LEVEL: "warn",
    },
  });
  const [, url] = await server.until(/Pawl is ready at (\S+)/);
  env = { PAWL_URL: url!, PAWL_DATA_DIR: join(folder, "data") };
  for (const [name, text] of Object.entries({ echo, failing, waiting })) {
    const applied = await pawl(["job", "apply", "-"], { input: text });
    assert.equal(applied.code, 0, applied.stderr);
    assert.match(applied.stdout, new RegExp(`^Created ${name}, version 1`));
  }
});

after(async () => {
  server?.process.kill("SIGTERM");
  const outcome = await server?.ended;
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
  assert.equal(outcome?.code, 0, outcome?.stderr);
});

describe("pawl", () => {
  it("teaches with --help, for every command", async () => {
    const help = await runPawl(["--help"]);
    assert.equal(help.code, 0);
    for (const word of ["First steps", "Exit codes", "pawl serve", "130"])
      assert.ok(help.stdout.includes(word), word);
    assert.deepEqual(await runPawl([]), help);
    for (const command of [
      "serve",
      "demo",
      "config",
      "start",
      "token create",
      "job apply",
      "execution show",
      "execution list",
      "search",
      "collection create",
    ]) {
      const { stdout, code } = await keptPawl([...command.split(" "), "--help"]);
      assert.equal(code, 0, command);
      assert.match(stdout, /Examples:/, command);
      assert.match(stdout, /--json/, command);
    }
  });

  it("answers a slip with code 2 and a suggestion", async () => {
    const slips: [string[], RegExp][] = [
      [["strat", "echo"], /Did you mean start\?/],
      [["job", "lst"], /Did you mean list\?/],
      [["job", "list", "--jsn"], /Did you mean --json\?/],
      [["start"], /missing required argument 'job'/],
      [["start", "echo", "-p", "word"], /write --param name=value/],
      [["start", "echo", "--params-file", "none.yaml"], /none\.yaml can't be read/],
      [["job", "apply", "none.yaml"], /The file none\.yaml is not there/],
      [["job", "list", "--limit", "0"], /--limit must be a whole number from 1 to 1000/],
      [["job", "delete", "echo"], /no terminal to ask on: say --yes/],
      [["execution", "show"], /or a job with --last/],
      [["execution", "show", "--last", "echo", "x"], /one of the two/],
      [["execution", "list", "--status", "BROKEN"], /one of RUNNING, PAUSED/],
      [["execution", "list", "--since", "yesterday"], /--since takes an age such as 30m, 1h or 7d/],
      [["search", "x", "--type", "jobs"], /Allowed choices are all, job, step, collection/],
      [["token", "create", "--expires-in", "soon"], /takes a whole number of days/],
      [["token", "create", "--authority", "JobService:*:*"], /Say with --principal NAME/],
      [["whoami", "--url", "nonsense"], /PAWL_URL must be an http or https URL/],
    ];
    await eachOf(slips, async ([args, sentence]) => {
      const { code, stdout, stderr } = await pawl(args);
      assert.equal(code, 2, `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, sentence);
      assert.equal(stdout, "");
    });
  });

  it("says where a faulty value came from, and how to learn more", async () => {
    const faulty = await pawl(["whoami", "--url", "ftp://x"]);
    assert.match(faulty.stderr, /PAWL_URL must be .*; the command line has "ftp:\/\/x"/);
    assert.match((await runPawl(["start"])).stderr, /missing required argument 'job'\n.*--help/);
  });

  it("answers a faulty configuration with code 2 and every fault", async () => {
    const { code, stderr } = await runPawl(["serve"], { env: { PAWL_PRT: "1", PAWL_LOG_LEVEL: "loud" } });
    assert.equal(code, 2);
    assert.match(stderr, /has 2 faults/);
    assert.match(stderr, /Did you mean "PAWL_PORT"\?/);
    assert.match(stderr, /PAWL_LOG_LEVEL must be one of/);
  });

  it("answers with code 4 when Pawl can't be reached, and code 5 when it refuses", async () => {
    const gone = await pawl(["whoami"], { env: { PAWL_URL: `http://127.0.0.1:${await closedPort()}` } });
    assert.equal(gone.code, 4);
    assert.match(gone.stderr, /is it running\? Start it with `npx pawl serve`/);
    const unknown = await pawl(["start", "ecco"]);
    assert.equal(unknown.code, 5);
    assert.match(unknown.stderr, /There is no job named "ecco"\. Did you mean "echo"\?/);
    const barred = await pawl(["job", "list"], { env: { PAWL_TOKEN: "pawl_wrong" } });
    assert.equal(barred.code, 5);
    assert.match(barred.stderr, /Set PAWL_TOKEN to a valid token/);
    assert.match(barred.stderr, /Request id: \S+/);
  });

  it("tells a failure as JSON too", async () => {
    const { code, stdout } = await pawl(["start", "ecco", "--json"]);
    assert.equal(code, 5);
    assert.match(JSON.parse(stdout).error.message, /no job named/);
  });

  it("sends this machine's admin token to this machine only", async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end("{}");
    });
    await new Promise<void>((listening) => other.listen(0, "0.0.0.0", listening));
    const { port } = other.address() as AddressInfo;
    await pawl(["whoami"], { env: { PAWL_URL: `http://0.0.0.0:${port}` } });
    await pawl(["whoami"], { env: { PAWL_URL: `http://127.0.0.1:${port}` } });
    other.close();
    const token = readFileSync(join(folder, "data", "admin-token"), "utf8").trim();
    assert.deepEqual(seen, [undefined, `Bearer ${token}`]);
  });

  it("shows the configuration without its secrets", async () => {
    const secret = "s3cret";
    const settings = await json(["config"], {
      env: { DATABASE_URL: `postgresql://u:${secret}@h/d`, PAWL_TOKEN: secret },
    });
    assert.ok(!JSON.stringify(settings).includes(secret));
    const dataDir = settings.find((one: { name: string }) => one.name === "PAWL_DATA_DIR");
    assert.deepEqual([dataDir.value, dataDir.source], [join(folder, "data"), "environment"]);
  });
});

describe("pawl start", () => {
  it("answers at once with the execution's id", async () => {
    const started = await json(["start", "echo"]);
    assert.equal(started.status, "RUNNING");
    const watched = await pawl(["execution", "watch", started.executionId]);
    assert.equal(watched.code, 0, watched.stderr);
  });

  it("waits, says each step, and exits 0 for COMPLETED", async () => {
    const { code, stdout, stderr } = await pawl([
      "start",
      "echo",
      "--wait",
      "-p",
      "word=2026",
      "-p",
      "times=3",
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^say +COMPLETED/m);
    assert.match(stdout, /^keep +COMPLETED/m);
    assert.match(stdout, /^COMPLETED in .*\d/m);
    assert.match(stdout, /"word": "2026",\n {2}"times": 3/);
    assert.ok(!stdout.includes("\x1b"));
  });

  it("exits 1 for FAILED and says which step and why", async () => {
    const { code, stdout } = await pawl(["start", "failing", "--wait"]);
    assert.equal(code, 1);
    assert.match(stdout, /^FAILED in/m);
    assert.match(stdout, /Step burst: .*no more coffee/);
    const asJson = await pawl(["start", "failing", "--wait", "--json"]);
    assert.equal(asJson.code, 1);
    assert.equal(JSON.parse(asJson.stdout).status, "FAILED");
  });

  it("lists every fault of the parameters", async () => {
    const { code, stderr } = await pawl(["start", "echo", "-p", "times=many"]);
    assert.equal(code, 5);
    assert.match(stderr, /times/);
    assert.match(stderr, /integer/);
  });

  it("starts once for one idempotency key", async () => {
    const first = await json(["start", "echo", "--idempotency-key", "k1"]);
    const second = await json(["start", "echo", "--idempotency-key", "k1"]);
    assert.equal(first.executionId, second.executionId);
  });

  it("takes parameters from a file", async () => {
    writeFileSync(join(folder, "params.yaml"), "word: file\ntimes: 2\n");
    const ended = await json(["start", "echo", "--wait", "--params-file", "params.yaml", "-p", "times=4"]);
    assert.deepEqual(ended.parameters, { word: "file", times: 4 });
  });

  it("detaches at Ctrl-C and says how to go on watching", async () => {
    const watching = spawnPawl(["start", "waiting", "--wait"], { cwd: folder, env });
    await watching.until(/long +WAITING/);
    watching.process.kill("SIGINT");
    const { code, stderr } = await watching.ended;
    assert.equal(code, 130);
    const [, id] = /pawl execution watch (\S+)/.exec(stderr)!;
    assert.equal((await json(["execution", "show", id!])).status, "RUNNING");
  });
});

describe("pawl execution", () => {
  it("lists, shows and logs", async () => {
    const ended = await json(["start", "echo", "--wait", "-p", "word=logged"]);
    const list = await json(["execution", "list", "echo"]);
    assert.equal(list[0].id, ended.id);
    const table = await pawl(["execution", "list", "echo", "--limit", "1"]);
    assert.match(table.stdout, new RegExp(`^ID .*STATUS.*\n${ended.id} +COMPLETED`));
    assert.match(table.stderr, /The newest 1 of \d+/);
    const shown = await pawl(["execution", "show", "--last", "echo"]);
    assert.match(shown.stdout, /^Job +echo, version 1$/m);
    const output = await pawl(["execution", "show", ended.id, "--step", "keep"]);
    assert.deepEqual(JSON.parse(output.stdout), { word: "logged", times: 1 });
    const logs = await pawl(["execution", "logs", "--last", "echo"]);
    assert.match(logs.stdout, /info +say +logged/);
  });

  it("names the steps there are when one is unknown", async () => {
    const { code, stderr } = await pawl(["execution", "show", "--last", "echo", "--step", "shout"]);
    assert.equal(code, 2);
    assert.match(stderr, /no step "shout"; it has: say, keep/);
  });
});

describe("pawl job", () => {
  it("goes round: apply, export, apply, versions, restore, delete", async () => {
    await pawl(["job", "apply", "-"], { input: echo.replace("name: echo", "name: round trip") });
    const exported = await pawl(["job", "export", "round trip"]);
    writeFileSync(join(folder, "round.yaml"), exported.stdout.replace("Says what", "Repeats what"));
    const again = await pawl(["job", "apply", "round.yaml"]);
    assert.match(
      again.stdout,
      /^Saved round trip, version 2, 2 steps\. Run it: npx pawl start 'round trip' --wait/,
    );
    const versions = await json(["job", "versions", "round trip"]);
    assert.deepEqual(
      versions.map((one: { version: number }) => one.version),
      [2, 1],
    );
    assert.equal((await json(["job", "restore", "round trip", "1"])).version, 3);
    const job = await json(["job", "show", "round trip"]);
    assert.equal(job.description, "Says what it was told");
    const asJson = await pawl(["job", "export", job.id, "--json"]);
    assert.equal(JSON.parse(asJson.stdout).name, "round trip");
    assert.equal((await pawl(["job", "delete", "round trip", "--yes"])).code, 0);
    assert.equal((await pawl(["job", "show", "round trip"])).code, 5);
  });

  it("names the line of the file that a fault is at", async () => {
    writeFileSync(
      join(folder, "bad.yaml"),
      "name: bad\nsteps:\n  - key: one\n    type: log\n    input:\n      massage: hi\n",
    );
    const { code, stderr } = await pawl(["job", "apply", "bad.yaml"]);
    assert.equal(code, 5);
    assert.match(stderr, /bad\.yaml:[56]:\d+: \/steps\/0\/input/);
    const missing = await pawl(["job", "list", "--json"]);
    assert.ok(!JSON.parse(missing.stdout).some((job: { name: string }) => job.name === "bad"));
  });

  it("lists faults in the order of the file, in words", async () => {
    const lines = [
      "name: ordered",
      "tags: [a, a]",
      "steps:",
      "  - { key: 1st, type: log }",
      "  - { type: log }",
      "colour: red",
    ];
    const { stderr } = await pawl(["job", "apply", "-"], { input: lines.join("\n") });
    const places = [...stderr.matchAll(/input\):(\d+):\d+/g)].map(([, line]) => Number(line));
    assert.deepEqual(places, [2, 4, 5, 6], stderr);
    assert.match(stderr, /\/steps\/0\/key must begin with a letter/);
  });

  it("refuses to replace with --create-only", async () => {
    const { code, stderr } = await pawl(["job", "apply", "-", "--create-only"], { input: echo });
    assert.equal(code, 5);
    assert.match(stderr, /echo/);
  });

  it("finds by tag and by text", async () => {
    const names = (jobs: { name: string }[]) => jobs.map((job) => job.name);
    assert.deepEqual(names(await json(["job", "list", "--tag", "test"])), ["echo"]);
    assert.deepEqual(names(await json(["job", "list", "--search", "WAIT"])), ["waiting"]);
    const shown = await pawl(["job", "show", "echo"]);
    assert.match(shown.stdout, /^Parameters +word, times$/m);
  });

  it("closes quietly when its reader goes away", async () => {
    const listing = spawnPawl(["job", "list"], { cwd: folder, env });
    listing.process.stdout!.destroy();
    const { code, stderr } = await listing.ended;
    assert.equal(code, 0);
    assert.equal(stderr, "");
  });
});

describe("pawl search", () => {
  it("finds jobs and steps, the best match first, and says what may have been meant", async () => {
    const hits = await json(["search", "echo"]);
    assert.deepEqual([hits[0].type, hits[0].name], ["job", "echo"]);
    const steps = await json(["search", "burst", "--type", "step"]);
    assert.deepEqual(
      steps.map((hit: { name: string }) => hit.name),
      ["burst"],
    );
    const { stdout } = await pawl(["search", "says", "told"]);
    assert.match(stdout, /^TYPE +NAME .*\njob +echo /);
    const slip = await pawl(["search", "wiating"]);
    assert.equal(slip.code, 0);
    assert.match(slip.stdout, /Nothing is found for "wiating"\. Did you mean "waiting"\?/);
    assert.deepEqual(await json(["search", "wiating"]), []);
  });
});

describe("pawl execution list", () => {
  it("finds what failed lately, of any job", async () => {
    await pawl(["start", "failing", "--wait"]);
    await pawl(["start", "echo", "--wait"]);
    const found = await json(["execution", "list", "--status", "failed", "--since", "1h"]);
    assert.ok(found.length > 0);
    for (const one of found) assert.deepEqual([one.status, one.jobName], ["FAILED", "failing"]);
    const { stdout } = await pawl([
      "execution",
      "list",
      "--status",
      "FAILED",
      "--since",
      "1h",
      "--limit",
      "1",
    ]);
    assert.match(stdout, /^ID +STATUS +JOB .*ERROR\n\S+ +FAILED +failing .*no more coffee/);
    const both = await json(["execution", "list", "--status", "FAILED", "COMPLETED", "--limit", "1000"]);
    assert.deepEqual(
      new Set(both.map((one: { status: string }) => one.status)),
      new Set(["FAILED", "COMPLETED"]),
    );
    assert.deepEqual(await json(["execution", "list", "--status", "FAILED", "--job", "echo"]), []);
    assert.ok((await json(["execution", "list", "--error", "COFFEE"])).length > 0);
    const none = await pawl(["execution", "list", "--until", "2020-01-01"]);
    assert.match(none.stdout, /None is like that\./);
  });
});

describe("pawl collection", () => {
  it("goes round: create, move a job in, list, update, delete with its jobs moved", async () => {
    const made = await pawl([
      "collection",
      "create",
      "Night shift",
      "--description",
      "Runs at night",
      "--tag",
      "night",
    ]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /npx pawl job move JOB 'Night shift'/);
    assert.match(
      (await pawl(["job", "move", "failing", "Night shift"])).stdout,
      /failing is in Night shift now/,
    );
    const inside = await json(["job", "list", "--collection", "Night shift"]);
    assert.deepEqual(
      inside.map((job: { name: string; version: number }) => [job.name, job.version]),
      [["failing", 1]],
    );
    const listed = await pawl(["collection", "list", "--tag", "night"]);
    assert.match(listed.stdout, /^NAME .*\nNight shift +1 +night /);
    assert.equal(
      (await json(["collection", "update", "Night shift", "--name", "Nights"])).description,
      "Runs at night",
    );
    const kept = await pawl(["collection", "delete", "Nights", "--yes"]);
    assert.equal(kept.code, 5);
    assert.match(kept.stderr, /holds 1 job/);
    const slip = await pawl(["collection", "show", "Nigths"]);
    assert.match(slip.stderr, /There is no collection named "Nigths"\. Did you mean "Nights"\?/);
    const gone = await pawl(["collection", "delete", "Nights", "--yes", "--move-to", "none"]);
    assert.match(gone.stdout, /Jobs moved: 1/);
    assert.equal((await json(["job", "show", "failing"])).collectionId, null);
    const ago = await json(["job", "list", "--updated-since", "1h", "--search", "failing"]);
    assert.equal(ago.length, 1);
  });
});

describe("pawl token", () => {
  it("makes a principal and its token, which works until it is revoked", async () => {
    const made = await pawl([
      "token",
      "create",
      "--principal",
      "reader",
      "--authority",
      "JobService:Job:read",
    ]);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /^pawl_\S+\n$/);
    const own = { PAWL_TOKEN: made.stdout.trim() };
    const me = await json(["whoami"], { env: own });
    assert.deepEqual([me.name, me.authorities], ["reader", ["JobService:Job:read"]]);
    assert.equal((await pawl(["job", "list"], { env: own })).code, 0);
    const barred = await pawl(["start", "echo"], { env: own });
    assert.equal(barred.code, 5);
    assert.match(barred.stderr, /`npx pawl whoami` shows what your token may do/);

    const tokens = await json(["token", "list"]);
    const token = tokens.find((one: { principalName: string }) => one.principalName === "reader");
    assert.ok(!("token" in token));
    assert.equal((await pawl(["token", "revoke", token.id])).code, 0);
    assert.equal((await pawl(["job", "list"], { env: own })).code, 5);
    const after = await json(["token", "list"]);
    assert.ok(!after.some((one: { id: string }) => one.id === token.id));
  });

  it("refuses an authority that covers nothing", async () => {
    const slip = await pawl([
      "token",
      "create",
      "--principal",
      "slip",
      "--authority",
      "JobService:Jobs:read",
    ]);
    assert.equal(slip.code, 2);
    assert.match(slip.stderr, /"JobService:Jobs:read" covers nothing\. Did you mean "JobService:Job:read"\?/);
    assert.equal((await pawl(["principal", "show", "slip"])).code, 5);
  });

  it("makes one more token of a principal, and refuses to change it on the way", async () => {
    const again = await pawl(["token", "create", "--principal", "reader", "--authority", "JobService:*:*"]);
    assert.equal(again.code, 2);
    assert.match(again.stderr, /is there already/);
    assert.equal((await pawl(["token", "create", "--principal", "reader"])).code, 0);
    const unknown = await pawl(["token", "create", "--principal", "raeder"]);
    assert.match(unknown.stderr, /Did you mean "reader"\?/);
    const shown = await json(["principal", "show", "reader"]);
    assert.equal(shown.name, "reader");
    assert.ok((await json(["principal", "list"])).length >= 2);
    assert.equal((await pawl(["principal", "delete", "reader"])).code, 0);
  });
});
