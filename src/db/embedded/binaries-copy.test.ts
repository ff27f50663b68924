import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { silent } from "../log.ts";
import type { Binaries } from "./binaries.ts";
import { copyBinaries } from "./binaries-copy.ts";

let root: string;
let copies: string;
let installed: Binaries;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "pawl-binaries-"));
});
after(() => rm(root, { recursive: true }));

beforeEach(async () => {
  const folder = await mkdtemp(join(root, "case-"));
  copies = join(folder, "copies");
  installed = { root: join(folder, "native"), version: "18.4.0" };
  for (const part of ["bin", "lib/pgxs", "share/postgresql"])
    await mkdir(join(installed.root, part), { recursive: true });
  await writeFile(join(installed.root, "bin/postgres"), "#!/bin/sh\necho works\n", { mode: 0o700 });
  await writeFile(join(installed.root, "lib/libpq.so.5.18"), "library", { mode: 0o600 });
  await writeFile(join(installed.root, "lib/libpq.a"), "static");
  await writeFile(join(installed.root, "lib/pgxs/Makefile"), "all:");
  await writeFile(join(installed.root, "share/postgresql/postgres.bki"), "catalogue");
  execFileSync("ln", ["-s", "libpq.so.5.18", join(installed.root, "lib/libpq.so.5")]);
  await chmod(installed.root, 0o700);
});

const copy = () => copyBinaries(installed, copies, silent);

test("copies what a server needs, readable by every account", async () => {
  const { root: made, version } = await copy();
  assert.equal(version, "18.4.0");
  assert.equal(execFileSync(join(made, "bin/postgres"), { encoding: "utf8" }), "works\n");
  assert.deepEqual((await readdir(join(made, "lib"))).sort(), ["libpq.so.5", "libpq.so.5.18"]);
  for (const [path, mode] of [
    [".", 0o755],
    ["bin", 0o755],
    ["bin/postgres", 0o755],
    ["lib/libpq.so.5.18", 0o644],
  ] as const) {
    assert.equal((await stat(join(made, path))).mode & 0o777, mode, path);
  }
});

test("leaves the modes of what is installed as they are", async () => {
  await copy();
  assert.equal((await stat(join(installed.root, "bin/postgres"))).mode & 0o777, 0o700);
  assert.equal((await stat(join(installed.root, "lib/libpq.so.5.18"))).mode & 0o777, 0o600);
});

test("takes no room for what all may read already", async () => {
  await chmod(join(installed.root, "bin/postgres"), 0o755);
  const { root: made } = await copy();
  assert.equal(
    (await stat(join(made, "bin/postgres"))).ino,
    (await stat(join(installed.root, "bin/postgres"))).ino,
  );
});

test("copies once, and leaves nothing half made", async () => {
  const first = await copy();
  const { birthtimeMs } = await stat(first.root);
  const second = await copy();
  assert.deepEqual(second, first);
  assert.equal((await stat(second.root)).birthtimeMs, birthtimeMs);
  assert.equal((await readdir(copies)).length, 1);
});

test("lets several make it at the same time", async () => {
  const made = await Promise.all(Array.from({ length: 12 }, copy));
  assert.equal(new Set(made.map((each) => each.root)).size, 1);
  assert.equal((await readdir(copies)).length, 1);
});

test("makes a damaged copy anew", async () => {
  const { root: made } = await copy();
  await truncate(join(made, "lib/libpq.so.5.18"), 3);
  await rm(join(made, "share"), { recursive: true });
  await copy();
  assert.equal((await stat(join(made, "lib/libpq.so.5.18"))).size, "library".length);
  await stat(join(made, "share/postgresql/postgres.bki"));
});

test("makes another copy of other binaries", async () => {
  const first = await copy();
  await writeFile(join(installed.root, "lib/libpq.so.5.18"), "a newer library");
  const second = await copy();
  assert.notEqual(second.root, first.root);
  await stat(first.root);
});
