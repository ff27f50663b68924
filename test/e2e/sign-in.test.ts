import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

let it: PawlInBrowser;

before(async () => {
  it = await startPawlInBrowser();
});
after(() => it?.close());

describe("the files of the interface", () => {
  test("are served where / leads, under a policy without inline script, and kept as long as they may be", async () => {
    const first = await it.pawl.send({ method: "GET", path: "/", token: null });
    assert.equal(first.status, 302);
    assert.equal(first.headers.location, "/ui/");
    for (const path of ["/ui/", "/ui/jobs/any/deep/page"]) {
      const page = await it.pawl.send({ method: "GET", path, token: null });
      assert.equal(page.status, 200);
      assert.match(String(page.headers["content-type"]), /^text\/html/);
      assert.equal(page.headers["cache-control"], "no-cache");
      const policy = String(page.headers["content-security-policy"]);
      assert.match(policy, /script-src 'self';/);
      assert.doesNotMatch(policy, /script-src[^;]*unsafe/);
      assert.doesNotMatch(page.text, /<script(?![^>]* src=)[^>]*>/, "no inline script");
    }
    const { text } = await it.pawl.send({ method: "GET", path: "/ui/", token: null });
    const script = /src="(\/ui\/assets\/[^"]+\.js)"/.exec(text)![1]!;
    const asset = await it.pawl.send({
      method: "GET",
      path: script,
      token: null,
      headers: { "accept-encoding": "br" },
    });
    assert.equal(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(asset.headers["content-encoding"], "br");
    const gone = await it.pawl.send({ method: "GET", path: "/ui/assets/gone-123.js", token: null });
    assert.equal(gone.status, 404);
    const posted = await it.pawl.send({ method: "POST", path: "/ui/", token: null });
    assert.equal(posted.status, 404);
  });
});

describe("signing in", () => {
  test("asks for a token, says what is wrong with one, and leads to the page that was wanted", async () => {
    const page = await it.newPage();
    await page.goto("/ui/executions?q=never");
    await page.getByLabel("API token").fill("pawl_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This is not an API token of Pawl.").waitFor();
    await page.getByLabel("API token").fill(it.pawl.admin);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Executions", exact: true }).waitFor();
    assert.equal(new URL(page.url()).search, "?q=never");
    await page.getByText("No execution fits").waitFor();
    assert.deepEqual(page.troubles, []);
  });

  test("works once by a link, whose code does not stay in the address", async () => {
    const link = await it.pawl.signInLink();
    const page = await it.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: "Home", exact: true }).waitFor();
    assert.ok(!page.url().includes("#"));
    const second = await it.newPage();
    await second.goto(link);
    await second.getByText("This link was used before, or has expired").waitFor();
  });

  test("ends by the account's menu, and the pages are closed from then on", async () => {
    const page = await it.open("/ui/jobs");
    await page.getByRole("button", { name: "Account of admin" }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByLabel("API token").waitFor();
    await page.goto("/ui/jobs");
    await page.getByLabel("API token").waitFor();
  });

  test("offers nothing that one may not do", async () => {
    const { token } = await it.pawl.principal(["JobService:Job:read"]);
    const page = await it.open("/ui/", { token });
    const navigation = page.getByRole("navigation", { name: "Main" });
    await navigation.getByRole("link", { name: "Jobs" }).waitFor();
    assert.deepEqual(await navigation.getByRole("link").allInnerTexts(), ["Home", "Jobs"]);
  });
});
