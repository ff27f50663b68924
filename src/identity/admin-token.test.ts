import assert from "node:assert/strict";
import { chmod, lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { keepAdminToken } from "./admin-token.ts";

async function folder(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "pawl-admin-token-"));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

test("writes the token for its owner's eyes only, whatever the umask and the file before it", async (t) => {
  const dir = await folder(t);
  const umask = process.umask(0);
  t.after(() => process.umask(umask));
  await writeFile(join(dir, "admin-token"), "an older and longer token");
  await chmod(join(dir, "admin-token"), 0o644);
  const path = await keepAdminToken(dir, "pawl_x");
  assert.equal(path, join(dir, "admin-token"));
  assert.equal(await readFile(path, "utf8"), "pawl_x\n");
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dir), ["admin-token"]);
});

test("makes the data directory, closed to others", async (t) => {
  const dir = join(await folder(t), "new");
  await keepAdminToken(dir, "pawl_x");
  assert.equal((await stat(dir)).mode & 0o077, 0);
});

test("never writes through a symlink that waits at the name", async (t) => {
  const dir = await folder(t);
  const victim = join(dir, "victim");
  await writeFile(victim, "untouched");
  await symlink(victim, join(dir, "admin-token"));
  await keepAdminToken(dir, "pawl_x");
  assert.equal(await readFile(victim, "utf8"), "untouched");
  assert.equal((await lstat(join(dir, "admin-token"))).isSymbolicLink(), false);
});

test("leaves nothing behind when it fails", async (t) => {
  const dir = await folder(t);
  // A folder at the name can't be replaced by a file.
  await keepAdminToken(join(dir, "admin-token"), "pawl_x");
  await assert.rejects(keepAdminToken(dir, "pawl_y"));
  assert.deepEqual(await readdir(dir), ["admin-token"]);
});
