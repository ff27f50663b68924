import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { createTestDatabase, type TestDatabase } from "./helpers/database.ts";
import { keptPawl, type RunningCommand, runPawl, spawnPawl } from "./helpers/pawl-command.ts";
import { scratchRoot } from "./helpers/scratch.ts";

describe("pawl vault and pawl audit", () => {
  let folder: string;
  let database: TestDatabase;
  let server: RunningCommand | undefined;
  let env: Record<string, string>;

  async function serve(more: Record<string, string> = {}): Promise<void> {
    server = spawnPawl(["serve"], { cwd: folder, env: { ...serving(), ...more } });
    const [, url] = await server.until(/Pawl is ready at (\S+)/);
    env = { PAWL_URL: url!, PAWL_DATA_DIR: join(folder, "data") };
  }
  const serving = () => ({
    DATABASE_URL: database.url,
    PAWL_DATA_DIR: join(folder, "data"),
    PAWL_PORT: "0",
    PAWL_LOG_LEVEL: "warn",
    PAWL_SHUTDOWN_GRACE: "0",
  });
  async function end(): Promise<void> {
    server?.process.kill("SIGTERM");
    await server?.ended;
    server = undefined;
  }
  const pawl = (...args: string[]) => keptPawl(args, { cwd: folder, env });

  before(async () => {
    folder = mkdtempSync(join(scratchRoot(), "pawl-cli-vault-"));
    database = await createTestDatabase();
  });
  after(async () => {
    await end();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  test("shows the keys, rotates them, and tells when it is done", async () => {
    await serve();
    const shown = await pawl("vault", "status");
    assert.equal(shown.code, 0, shown.stderr);
    assert.match(shown.stdout, /Master key\s+[0-9a-f]{12}\n/);
    assert.match(shown.stdout, /Rotation\s+none yet/);
    assert.match(shown.stdout, /[0-9a-f]{12}\s+active\s+\d{4}-/);
    const rotated = await pawl("vault", "rotate", "--wait");
    assert.equal(rotated.code, 0, rotated.stderr);
    assert.match(rotated.stdout, /Done: \d+ values, all under the key [0-9a-f]{12}\./);
    const status = JSON.parse((await pawl("vault", "status", "--json")).stdout);
    assert.deepEqual(
      status.keys.map(({ state }: { state: string }) => state),
      ["retired", "active"],
    );
    assert.equal(status.rotation.startedBy, "admin");
  });

  test("changes the master key in the way that its help tells", async () => {
    const file = join(folder, "data", "master-key");
    assert.ok(existsSync(file));
    await end();
    const [next, other] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64"));
    const refused = await runPawl(["serve"], { cwd: folder, env: { ...serving(), PAWL_MASTER_KEY: next! } });
    assert.equal(refused.code, 2);
    assert.match(
      refused.stderr,
      /The master key from PAWL_MASTER_KEY has the id .* PAWL_MASTER_KEY_PREVIOUS/,
    );
    assert.ok(!refused.stderr.includes(next!));
    const newFile = join(folder, "new-key");
    writeFileSync(newFile, `${next}\n`);
    await serve({ PAWL_MASTER_KEY_FILE: newFile, PAWL_MASTER_KEY_PREVIOUS_FILE: file });
    assert.match((await pawl("vault", "status")).stdout, /not in force yet: `.* vault rewrap`/);
    const wrapped = await pawl("vault", "rewrap");
    assert.equal(wrapped.code, 0, wrapped.stderr);
    assert.match(wrapped.stdout, /The master key is changed; 3 keys were wrapped anew/);
    assert.match((await pawl("vault", "rewrap")).stdout, /in force already/);
    await end();
    const old = await runPawl(["serve"], { cwd: folder, env: serving() });
    assert.equal(old.code, 2);
    assert.match(old.stderr, /The master key from .*master-key has the id/);
    const elsewhere = { ...serving(), PAWL_DATA_DIR: join(folder, "elsewhere") };
    const none = await runPawl(["serve"], { cwd: folder, env: elsewhere });
    assert.equal(none.code, 2);
    assert.match(none.stderr, /has no master key to open them\. Set PAWL_MASTER_KEY or PAWL_MASTER_KEY_FILE/);
    assert.ok(!existsSync(join(folder, "elsewhere", "master-key")), "none is made: it would open nothing");
    await serve({ PAWL_MASTER_KEY: next! });
    assert.ok(!(await pawl("vault", "status")).stdout.includes("not in force"));
    const wrong = await runPawl(["serve"], { cwd: folder, env: { ...serving(), PAWL_MASTER_KEY: other! } });
    assert.equal(wrong.code, 2);
    assert.equal(readFileSync(newFile, "utf8"), `${next}\n`);
  });

  test("lists who did what, and finds that the record was tampered with", async () => {
    const made = await pawl(
      "token",
      "create",
      "--name",
      "laptop",
      "--principal",
      "ada",
      "--authority",
      "JobService:Job:read",
    );
    assert.equal(made.code, 0, made.stderr);
    const listed = await pawl("audit", "list");
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /admin\s+createPrincipal\s+principal ada\s+name.*success\s+127\.0\.0\.1/);
    assert.match(listed.stdout, /admin\s+rewrapVault\s+vault\s+masterKey/);
    const found = JSON.parse(
      (await pawl("audit", "list", "--type", "vault", "--action", "rotateVault", "--since", "1h", "--json"))
        .stdout,
    );
    assert.equal(found.length, 1);
    assert.match((await pawl("audit", "list", "--outcome", "forbidden")).stdout, /No line is like that/);
    const intact = await pawl("audit", "verify");
    assert.equal(intact.code, 0, intact.stderr);
    const [, head] = /Head: (\d+:[0-9a-f]{64})/.exec(intact.stdout)!;
    assert.equal((await pawl("audit", "verify", "--expect", head!)).code, 0);
    assert.equal((await pawl("audit", "verify", "--expect", "nonsense")).code, 2);

    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("set session_replication_role = replica");
    await client.query("update audit_entry set principal_name = 'eve' where seq = 2");
    await client.end();
    const told = await pawl("audit", "verify");
    assert.equal(told.code, 1);
    assert.match(told.stdout, /tampered with: 1 fault\.\n {2}line 2: This line was altered/);
  });

  test("gives up the secrets when the master key is lost, and nothing else", async () => {
    await end();
    const key = randomBytes(32).toString("base64");
    const options = { cwd: folder, env: { ...serving(), PAWL_MASTER_KEY: key } };
    const asked = await runPawl(["vault", "abandon"], options);
    assert.equal(asked.code, 2);
    assert.match(asked.stderr, /Give up every secret.* say --yes/);
    assert.equal((await runPawl(["serve"], options)).code, 2, "it has done nothing yet");
    const made = await runPawl(["vault", "abandon", "--yes"], options);
    assert.equal(made.code, 0, made.stderr);
    assert.match(made.stdout, /under the master key [0-9a-f]{12} \(PAWL_MASTER_KEY\)/);
    assert.match((await runPawl(["vault", "abandon", "--yes"], options)).stderr, /nothing is lost/);
    await serve({ PAWL_MASTER_KEY: key });
    assert.match((await pawl("vault", "status")).stdout, /locked/);
    assert.match((await pawl("principal", "list")).stdout, /ada/);
  });
});
