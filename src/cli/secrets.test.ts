import assert from "node:assert/strict";
import { test } from "node:test";
import { CliError } from "./exit.ts";
import { readSecrets } from "./secrets.ts";

const piped = (text: string) => ({
  isTerminal: false,
  read: () => text,
  ask: () => assert.fail("nobody is there to be asked"),
});
const typed = (...answers: string[]) => {
  const asked: string[] = [];
  return {
    asked,
    isTerminal: true,
    read: () => assert.fail("a terminal has no end"),
    ask: async (message: string) => {
      asked.push(message);
      return answers.shift()!;
    },
  };
};

test("takes one secret as the whole of standard input, without the line break at its end", async () => {
  const key = "-----BEGIN KEY-----\nabc\n-----END KEY-----";
  for (const [text, expected] of [
    ["hunter2\n", "hunter2"],
    ["hunter2\r\n", "hunter2"],
    ["hunter2", "hunter2"],
    [" a: b \n\n", " a: b \n"],
    [`${key}\n`, key],
  ] as const) {
    assert.deepEqual(await readSecrets([{ name: "one", multiline: true }], piped(text)), { one: expected });
  }
});

test("takes several as an object, and says which is missing without showing the others", async () => {
  const wanted = [{ name: "password" }, { name: "passphrase" }];
  const both = { password: "p: #1", passphrase: "q" };
  assert.deepEqual(await readSecrets(wanted, piped(JSON.stringify({ ...both, other: "x" }))), both);
  assert.deepEqual(await readSecrets(wanted, piped("password: 'p: #1'\npassphrase: q\n")), both);
  for (const text of [
    "password: canary",
    "canary",
    "[canary]",
    "{password: canary",
    "password: canary\npassphrase: 5",
  ]) {
    await assert.rejects(readSecrets(wanted, piped(text)), (error: CliError) => {
      assert.ok(error instanceof CliError && error.exit === "usage");
      assert.match(error.message, /password and passphrase/);
      return !error.message.includes("canary");
    });
  }
  await assert.rejects(readSecrets(wanted, piped(" \n")), /Standard input is empty/);
});

test("asks in a terminal, one after the other, and refuses what a prompt can't take", async () => {
  const terminal = typed("p", "q");
  const wanted = [{ name: "password" }, { name: "passphrase" }];
  assert.deepEqual(await readSecrets(wanted, terminal), { password: "p", passphrase: "q" });
  assert.deepEqual(terminal.asked, ["password:", "passphrase:"]);
  await assert.rejects(
    readSecrets([{ name: "privateKey", multiline: true }], typed("x")),
    /pipe it in with </,
  );
  assert.deepEqual(await readSecrets([], piped("")), {});
});

test("never takes a secret as an argument, nor shows it", async () => {
  await assert.rejects(readSecrets([{ name: "password=canary" }], piped("x")), (error: Error) => {
    assert.match(error.message, /names only/);
    return !error.message.includes("canary");
  });
});
