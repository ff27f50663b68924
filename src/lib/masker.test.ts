import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createMasker, noMasker } from "./masker.ts";

const utf8 = (text: string) => Buffer.from(text);
const strictUri = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const asciiJson = (text: string) =>
  JSON.stringify(text).replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
const html = (text: string) =>
  text.replace(
    /[&<>"']/g,
    (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]!,
  );

/** How a secret may be spelled in what comes back; those that stand for themselves, without what is around them. */
const SPELLINGS: Record<string, (secret: string) => string> = {
  plain: (s) => s,
  "a URL component": encodeURIComponent,
  "a URL component, lower case": (s) => encodeURIComponent(s).replace(/%../g, (c) => c.toLowerCase()),
  "a URL component by RFC 3986": strictUri,
  "a URL in a URL": (s) => encodeURIComponent(encodeURIComponent(s)),
  "a form": (s) => new URLSearchParams({ a: s }).toString().slice(2),
  JSON: (s) => JSON.stringify(s).slice(1, -1),
  "JSON in JSON": (s) => JSON.stringify(JSON.stringify(s)).slice(3, -3),
  "JSON of ASCII only": (s) => asciiJson(s).slice(1, -1),
  "JSON with escaped slashes": (s) => JSON.stringify(s).slice(1, -1).replaceAll("/", "\\/"),
  HTML: html,
  hex: (s) => utf8(s).toString("hex"),
  "upper-case hex": (s) => utf8(s).toString("hex").toUpperCase(),
  "hex with colons": (s) =>
    utf8(s)
      .toString("hex")
      .replace(/..(?!$)/g, "$&:"),
  "percent, every byte": (s) => utf8(s).toString("hex").replace(/../g, "%$&"),
  base64: (s) => utf8(s).toString("base64"),
  base64url: (s) => utf8(s).toString("base64url"),
  "base64 in a URL": (s) => encodeURIComponent(utf8(s).toString("base64")),
};

const secret = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 4, maxLength: 60 }),
    fc.string({ unit: "binary-ascii", minLength: 4, maxLength: 60 }),
    fc.stringMatching(/^[A-Za-z0-9+/=_-]{8,64}$/),
  )
  .filter((text) => text.isWellFormed() && text.trim().length >= 4);

for (const [name, spell] of Object.entries(SPELLINGS)) {
  test(`masks a secret spelled as ${name}, wherever it stands, and leaves the rest`, () => {
    fc.assert(
      fc.property(secret, (text) => {
        const { text: mask, value } = createMasker([text]);
        assert.equal(mask(`| ${spell(text)} |`), "| *** |");
        assert.deepEqual(value({ a: [spell(text), 1], [spell(text)]: null }), { a: ["***", 1], "***": null });
      }),
      { numRuns: 200 },
    );
  });
}

test("masks a secret in base64 whatever stands before and after it", () => {
  const ascii = (letters: string) =>
    fc.string({ unit: fc.constantFrom(...letters), minLength: 6, maxLength: 30 });
  const around = ascii("xyz:7");
  fc.assert(
    fc.property(
      around,
      ascii("abcXYZ019+/"),
      around,
      fc.constantFrom("base64", "base64url"),
      (before, text, after, coding) => {
        const encoded = utf8(before + text + after).toString(coding as "base64");
        const masked = createMasker([text]).text(encoded);
        assert.ok(masked.includes("***"), masked);
        // Not one byte of it is left: what stands on either side decodes to what was there, and no further.
        const [left, ...rest] = masked.split("***");
        assert.ok(before.startsWith(Buffer.from(left!, "base64").toString("latin1")));
        const right = rest.at(-1)!.replaceAll("=", "");
        assert.ok(right.length <= Math.ceil((after.length * 8) / 6), `${right} of ${after}`);
      },
    ),
  );
});

test("masks user and password of Basic authorization by the password alone", () => {
  for (const user of ["a", "ab", "abc", "abcd"]) {
    const sent = `Basic ${btoa(`${user}:correct horse`)}`;
    const masked = createMasker(["correct horse"]).text(sent);
    assert.match(masked, /^Basic [A-Za-z0-9]{0,6}\*\*\*$/);
  }
});

test("leaves what holds no secret as it is, to the very object", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
      assert.equal(createMasker(["a secret that is nowhere"]).value(value), value);
      assert.equal(noMasker.value(value), value);
    }),
  );
  assert.equal(createMasker([]), noMasker);
  assert.equal(createMasker(["", " ", null, undefined, true, {}, 123]), noMasker);
});

test("masks a secret of less than four characters where it stands alone, and nothing else of it", () => {
  const { text, value, texts } = createMasker(["abc", ["x"], 7, "a longer secret"]);
  assert.deepEqual(value({ abc: "abc", list: ["x", 7, "xabc"], long: "has a longer secret" }), {
    abc: "***",
    list: ["***", 7, "xabc"],
    long: "has ***",
  });
  assert.equal(text("abc"), "***");
  assert.equal(text("abc and x"), "abc and x");
  assert.deepEqual(texts(["x", "xy"]), ["***", "xy"]);
});

test("masks a secret that is a common word wherever it stands, and leaves the rest readable", () => {
  const { value } = createMasker(["true", "null", "password"]);
  assert.deepEqual(value({ password: true, note: "null and true", other: ["untrue", null] }), {
    "***": true,
    note: "*** and ***",
    other: ["un***", null],
  });
});

test("masks a secret that lines of a log have between them, however it was cut into pieces", () => {
  const secret = "correct horse/battery";
  const { texts } = createMasker([secret, "first\nsecond"]);
  fc.assert(
    fc.property(
      fc.array(fc.nat(secret.length), { maxLength: 5 }),
      fc.constantFrom("plain", "base64", "URL"),
      (cuts, spelling) => {
        const whole =
          spelling === "plain" ? secret : spelling === "URL" ? encodeURIComponent(secret) : btoa(secret);
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)), whole.length].sort(
          (a, b) => a - b,
        );
        const pieces = places.slice(1).map((to, i) => whole.slice(places[i], to));
        const masked = texts(["before", `> ${pieces[0]}`, ...pieces.slice(1), "after"]);
        assert.equal(masked.length, pieces.length + 2);
        assert.match(masked.join(""), /^before> (\*\*\*)+after$/);
      },
    ),
  );
  assert.deepEqual(texts(["first", "second", "third"]), ["***", "***", "third"]);
  assert.deepEqual(texts(["first"]), ["first"]);
  assert.deepEqual(noMasker.texts(["a"]), ["a"]);
});

test("masks a full log of a thousand secrets in little time", () => {
  const { texts } = createMasker(["secret-word", "aaaaaaaa"]);
  const started = performance.now();
  texts(Array.from({ length: 10_000 }, () => "secret-word aaaaaaaaaaaa"));
  assert.ok(performance.now() - started < 3_000);
});

test("finds every secret among many, the longer one where one holds the other, and both where they overlap", () => {
  const { text } = createMasker(["hunter", "hunter2-again", "again-and-on", "aaaa"]);
  assert.equal(text("hunter2-again hunter hunter2"), "*** *** ***2");
  assert.equal(text("<hunter2-again-and-on>"), "<***>");
  assert.equal(text("aaaaaa"), "***");
});

test("masks numbers, texts inside lists and objects, and keeps keys apart that are one when masked", () => {
  const { value } = createMasker([482913, { pin: "abcd-1" }, ["efgh-2"]]);
  assert.deepEqual(value({ n: 482913, m: 48291, t: "pin 482913" }), { n: "***", m: 48291, t: "pin ***" });
  assert.deepEqual(value({ "abcd-1": 1, "efgh-2": 2, x: 3 }), { "***": 1, "*** (2)": 2, x: 3 });
});

test("masks the parts of a secret that are secret by themselves", () => {
  const pem =
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\nAQEFAASCBKcwggSjAgEAAoIB\n-----END PRIVATE KEY-----\n";
  const url = "mongodb://app:p%40ss-word@db.example/orders";
  const hook = "https://hooks.example/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX";
  const headers = '{"x-api-key": "key-of-ours", "accept": "text/plain"}';
  const { text } = createMasker([pem, url, hook, headers, "Bearer eyJhbGciOi", "  padded-secret\n"]);
  assert.equal(text("AQEFAASCBKcwggSjAgEAAoIB"), "***");
  assert.equal(text("-----BEGIN PRIVATE KEY-----"), "-----BEGIN PRIVATE KEY-----");
  assert.equal(text("password p@ss-word or p%40ss-word of app"), "password *** or *** of app");
  assert.equal(text("cannot POST /services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"), "cannot POST ***");
  assert.equal(text("XXXXXXXXXXXXXXXXXXXXXXXX at https://hooks.example"), "*** at https://hooks.example");
  assert.equal(text("it was key-of-ours"), "it was ***");
  assert.equal(text("token eyJhbGciOi and padded-secret"), "token *** and ***");
});

test("masks the beginning of a secret before a cut, and nothing of a text that was not cut", () => {
  const { text } = createMasker(["correct-horse-battery", 'say "friend" and enter']);
  assert.equal(text("it answered: correct-horse-b…"), "it answered: ***…");
  assert.equal(text('["correct-…" is no duration]'), '["***…" is no duration]');
  assert.equal(text('{"a":"say \\"fri…'), '{"a":"***…');
  assert.equal(text("correct-horse-b"), "correct-horse-b");
  assert.equal(text("a core…"), "a core…");
});

test("does not run away, whatever secret a user has chosen and whatever text a server sends", () => {
  const secrets = [
    "a".repeat(100),
    `${"\\".repeat(50)}"`,
    `${'\\"'.repeat(25)}!`,
    "&amp;".repeat(20),
    "%25".repeat(30),
  ];
  const { value } = createMasker([...secrets, `${" ".repeat(40)}!`, `${"\\\n".repeat(20)}!`]);
  for (const unit of ["a", "\\", "+", "%25", '\\\\"', '\\"', "&amp;", "\\\\n", "YWFh", "61"]) {
    const started = performance.now();
    value([unit.repeat(1_000_000 / unit.length)]);
    assert.ok(performance.now() - started < 3_000, unit);
  }
});
