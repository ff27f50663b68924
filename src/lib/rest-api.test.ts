import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { restApi } from "./rest-api.ts";

const at = (path: string, baseUrl = "https://api.example.org/v1") => restApi({ baseUrl }).below(path).href;

test("puts a path below the base URL, whichever of them has the slash", () => {
  for (const base of ["https://api.example.org/v1", "https://api.example.org/v1/"]) {
    for (const path of ["/orders?day=1", "orders?day=1", "//orders?day=1", "x/../orders?day=1"]) {
      assert.equal(at(path, base), "https://api.example.org/v1/orders?day=1");
    }
    assert.equal(at("", base), "https://api.example.org/v1/");
  }
  assert.equal(at("/a", "http://[::1]:8080"), "http://[::1]:8080/a");
  assert.equal(at("/a?b=1", "https://x.example/y?key=7"), "https://x.example/y/a?key=7&b=1");
});

test("refuses a path that leads out of the base URL, in every spelling", () => {
  const out = ["..", "../v2", "/../", "a/../../v1x", "%2e%2e/x", ".%2E/", "..\\x", "\\..\\x"];
  for (const path of [...out, "https://evil.example/", "HTTP://evil.example"]) {
    assert.throws(() => at(path), { code: "INVALID_INPUT", retryable: false }, path);
  }
});

test("stays at its origin and below its base, whatever the path is", () => {
  const piece = fc.constantFrom(
    "..",
    ".",
    "/",
    "\\",
    "@",
    ":",
    "//",
    "evil.example",
    "%2e",
    "%2f",
    "?",
    "#",
    "\t",
    "\n",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      let url: URL;
      try {
        url = new URL(at(pieces.join("")));
      } catch (error) {
        assert.equal((error as { code?: string }).code, "INVALID_INPUT");
        return;
      }
      assert.equal(url.origin, "https://api.example.org");
      assert.match(`${url.pathname}/`, /^\/v1\//);
      assert.equal(url.username, "");
    }),
    { numRuns: 2_000 },
  );
});

test("sends the token as the type of authentication says, and the headers beside it", () => {
  const baseUrl = "https://api.example.org";
  const of = (variables: Record<string, string>) => restApi({ baseUrl, ...variables }).credentials;
  assert.deepEqual(of({}), {});
  assert.deepEqual(of({ token: "t" }), { authorization: "Bearer t" });
  assert.deepEqual(of({ token: "t", authType: "bearer" }), { authorization: "Bearer t" });
  assert.deepEqual(of({ token: "a:b", authType: "basic" }), { authorization: `Basic ${btoa("a:b")}` });
  assert.deepEqual(of({ token: "t", authType: "apiKey" }), { "x-api-key": "t" });
  assert.deepEqual(of({ token: "t", authType: "none" }), {});
  assert.deepEqual(of({ headers: '{"X-Tenant": "7"}', token: "t" }), {
    "x-tenant": "7",
    authorization: "Bearer t",
  });
});

test("says what is wrong with a connection without telling what is in it", () => {
  const wrong: Record<string, string>[] = [
    { baseUrl: "hunter2" },
    { baseUrl: "ftp://hunter2.example" },
    { headers: "hunter2" },
    { headers: '["hunter2"]' },
    { headers: '{"a b": "hunter2"}' },
    { headers: '{"a": "hunter2\\n"}' },
    { token: "hunter2\r\nx: y" },
  ];
  for (const variables of wrong) {
    assert.throws(
      () => restApi({ baseUrl: "https://x.example", ...variables }),
      (error: Error & { code: string }) =>
        error.code === "INVALID_INPUT" && !error.message.includes("hunter2"),
    );
  }
});
