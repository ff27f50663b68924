import assert from "node:assert/strict";
import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { bound } from "./log-file.ts";

test("empties a log that has grown too long, keeps what it held once, and lets its writer go on", async () => {
  const directory = await mkdtemp(join(tmpdir(), "pawl-log-"));
  const file = join(directory, "postgres.log");
  const writer = await open(file, "a");
  try {
    await writer.write("a short line\n");
    await bound(file, 20);
    assert.equal(await readFile(file, "utf8"), "a short line\n");
    await writer.write("a line that is too much\n");
    await bound(file, 20);
    await writer.write("after\n");
    assert.equal(await readFile(file, "utf8"), "after\n");
    assert.equal(await readFile(`${file}.1`, "utf8"), "a short line\na line that is too much\n");
    await writeFile(file, "x".repeat(21));
    await bound(file, 20);
    assert.equal(await readFile(`${file}.1`, "utf8"), "x".repeat(21));
  } finally {
    await writer.close();
    await rm(directory, { recursive: true });
  }
});

test("has nothing to do for a log that is not there", async () => {
  await bound(join(tmpdir(), "pawl-no-such-log"));
});
