import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createTestDatabase, type TestDatabase } from "./helpers/database.ts";
import { type Outcome, runPawl } from "./helpers/pawl-command.ts";
import { scratchRoot } from "./helpers/scratch.ts";

let dataDir: string;
let database: TestDatabase;

before(async () => {
  dataDir = await mkdtemp(join(scratchRoot(), "pawl-start-faults-"));
  database = await createTestDatabase();
});

after(async () => {
  await database.drop();
  await rm(dataDir, { recursive: true });
});

const serve = (env: Record<string, string>): Promise<Outcome> =>
  runPawl(["serve"], {
    env: { PAWL_DATA_DIR: dataDir, PAWL_PORT: "0", DATABASE_URL: database.url, ...env },
  });

test("says what to do when its port is taken", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const outcome = await serve({ PAWL_PORT: String(port) }).finally(() => other.close());
  assert.equal(outcome.code, 1);
  assert.match(
    outcome.stderr,
    new RegExp(`error: Port ${port} of 127.0.0.1 is taken\\. End what listens there, .*PAWL_PORT`),
  );
});

test("says what to do when its address is not one of this machine", async () => {
  const { code, stderr } = await serve({ PAWL_HOST: "203.0.113.9" });
  assert.equal(code, 1);
  assert.match(stderr, /203\.0\.113\.9 is not an address of this machine\. Set PAWL_HOST/);
});

test("says what to do when the database of DATABASE_URL can't be used, without its password", async () => {
  const url = new URL(database.url);
  const faults: [change: (url: URL) => void, expected: RegExp][] = [
    [(url) => (url.port = "1"), /can't be reached: connect ECONNREFUSED 127\.0\.0\.1:1\. .*DATABASE_URL/],
    [(url) => (url.pathname = "/nope"), /database "nope" does not exist\. .*DATABASE_URL/],
    [(url) => (url.password = "hunter2"), /password authentication failed .*DATABASE_URL/],
  ];
  for (const [change, expected] of faults) {
    const wrong = new URL(url);
    change(wrong);
    const { code, stderr, stdout } = await serve({ DATABASE_URL: wrong.href });
    assert.equal(code, 1);
    assert.match(stderr, expected);
    assert.doesNotMatch(stdout + stderr, new RegExp(wrong.password));
  }
});
