import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, afterEach, before, describe, test } from "node:test";
import type { Page } from "playwright-core";
import { makeCertificate } from "../helpers/certificates.ts";
import { httpServer, type TestHttpServer } from "../helpers/http-server.ts";
import { go } from "./helpers/go.ts";
import { lookOver, phone, sticksOut } from "./helpers/look-over.ts";
import { type PawlInBrowser, startPawlInBrowser } from "./helpers/pawl-in-browser.ts";

const secret = "token-that-nobody-sees-again";
const dayMs = 86_400_000;
let it: PawlInBrowser;
let shop: TestHttpServer;

before(async () => {
  shop = await httpServer(({ headers }, response) =>
    response.writeHead(headers.authorization === `Bearer ${secret}` ? 200 : 401).end("{}"),
  );
  it = await startPawlInBrowser();
});
afterEach((test) => it?.leavePages(test));
after(async () => {
  await it?.close();
  await shop?.[Symbol.asyncDispose]();
});

const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true }).waitFor();
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const click = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

describe("connections", () => {
  test("are made from the type's template, tried before and after, and never show their secret", async () => {
    const page = await it.open("/ui/connections");
    await page.getByText("No connections yet").waitFor();
    await lookOver(page, "no connections");
    await page.getByRole("main").getByRole("link", { name: "New connection" }).first().click();
    await heading(page, "New connection");
    await lookOver(page, "types of connections");
    await page.getByRole("link", { name: /REST API/ }).click();
    await heading(page, "New connection: REST API");

    await click(page, "Make the connection");
    await page.getByText("One field needs a look.").waitFor();
    await page.getByText("Must not be empty.").waitFor();
    await lookOver(page, "a connection with faults");

    await field(page, "Name").fill("shop");
    await field(page, "Base URL").fill(shop.url);
    await page.getByLabel(/^Token/).fill("wrong");
    await click(page, "Test before saving");
    await page.getByText("It does not work").waitFor();
    await page.getByRole("list", { name: "Steps of the test" }).getByText(/401/).waitFor();
    await page.getByLabel(/^Token/).fill(secret);
    await click(page, "Make the connection");

    await heading(page, "shop");
    await page.getByRole("group", { name: "Token" }).getByText("Set").waitFor();
    await page.getByText("No job yet.").waitFor();
    await click(page, "Test it");
    await page.getByText("It works").waitFor();
    await lookOver(page, "a connection");
    assert.ok(!(await page.content()).includes(secret));

    // The secret stays when it is not touched, and must be entered again when it would go elsewhere.
    await field(page, "Description").fill("Orders of the shop");
    await click(page, "Save");
    await page.getByText("Version").waitFor();
    await page.getByText("Orders of the shop").first().waitFor();
    await field(page, "Base URL").fill(`${shop.url}/v2`);
    await page.getByText("Enter it again: where it goes has changed.").waitFor();
    await click(page, "Undo the changes");
    await page.getByRole("group", { name: "Token" }).getByText("Set").waitFor();
    await click(page, "Test it");
    await page.getByText("It works").waitFor();
    assert.deepEqual(page.troubles, []);
  });

  test("say which jobs use them, and what goes when they are deleted", async () => {
    const { data } = await it.pawl.client.upsertConnection({
      query: {},
      body: { name: "used", connectionType: "rest-api", variables: { baseUrl: shop.url, token: secret } },
    });
    const step = {
      key: "get",
      type: "http",
      connectionId: data.id,
      input: { method: "GET" as const, path: "/" },
    };
    await it.pawl.client.createJob({ body: { name: "asks-the-shop", steps: [step] } });
    const page = await it.open(`/ui/connections/${data.id}`);
    await page.getByRole("link", { name: "asks-the-shop" }).waitFor();
    await click(page, "Delete");
    await page.getByRole("dialog").getByText("1 job refers to it").waitFor();
    await click(page, "Delete the connection");
    await heading(page, "Connections");
    await page.getByText("used is deleted.").waitFor();
    await page.getByRole("link", { name: "used", exact: true }).waitFor({ state: "detached" });
  });

  test("offer nothing that one may not do", async () => {
    const { token } = await it.pawl.principal(["ConfigService:Connection:read"]);
    const found = await it.pawl.client.getConnectionByName({
      params: { connectionName: "shop" },
      query: {},
    });
    const page = await it.open("/ui/connections", { token });
    await page.getByRole("link", { name: "shop" }).waitFor();
    const navigation = page.getByRole("navigation", { name: "Main" });
    assert.deepEqual(await navigation.getByRole("link").allInnerTexts(), ["Home", "Connections"]);
    assert.equal(await page.getByText("New connection").count(), 0);
    await page.goto(`/ui/connections/${found.data.id}`);
    await heading(page, "shop");
    await field(page, "Base URL").waitFor();
    assert.ok(await field(page, "Base URL").isDisabled());
    for (const name of ["Save", "Delete", "Test it", "Replace"]) {
      assert.equal(await page.getByRole("button", { name, exact: true }).count(), 0, name);
    }
  });
});

describe("global variables", () => {
  test("are plain or secret; a secret is shown as set and becomes plain with a new value only", async () => {
    const page = await it.open("/ui/variables");
    await page.getByRole("main").getByRole("link", { name: "New variable" }).first().click();
    await field(page, "Name").fill("PIN");
    await page.getByRole("switch", { name: /^Secret/ }).check();
    await field(page, "Value").fill(secret);
    await click(page, "Make the variable");
    await heading(page, "PIN");
    await page.getByRole("group", { name: "Value" }).getByText("Set").waitFor();
    assert.ok(!(await page.content()).includes(secret));
    await lookOver(page, "a secret variable");
    await page.getByRole("switch", { name: /^Secret/ }).uncheck();
    await click(page, "Save");
    await page.getByText("was not saved").waitFor();

    await go(page, "Variables");
    await click(page, "Leave");
    await page.getByRole("link", { name: "New variable" }).first().click();
    await field(page, "Name").fill("RATES");
    await page.getByText("JSON", { exact: true }).click();
    await field(page, "Value").fill('{ "usual": 0.19');
    await page.getByText("This is not JSON yet.").waitFor();
    await field(page, "Value").fill('{ "usual": 0.19 }');
    await click(page, "Make the variable");
    await heading(page, "RATES");
    const { data } = await it.pawl.client.getVariableByName({ params: { name: "RATES" } });
    assert.deepEqual(data.value, { usual: 0.19 });
    await go(page, "Variables");
    await page.getByRole("link", { name: "RATES" }).waitFor();
    await lookOver(page, "variables");
    assert.deepEqual(page.troubles, []);
  });

  test("may have any name that expressions take, and none that another has", async () => {
    const page = await it.open("/ui/variables/new");
    // The first is a word that paths have, and can't be asked for by one.
    for (const name of ["name", "rate"]) {
      await page.goto("/ui/variables/new");
      await field(page, "Name").fill(name);
      await field(page, "Value").fill("first");
      await click(page, "Make the variable");
      await heading(page, name);
    }
    await page.goto("/ui/variables/new");
    await field(page, "Name").fill("rate");
    await click(page, "Make the variable");
    await page.getByText("There is a variable of this name already.").waitFor();
    assert.deepEqual(page.troubles, []);
  });

  test("say which jobs use them, and what a deletion means to these", async () => {
    const { client } = it.pawl;
    const { data } = await client.upsertVariable({ body: { name: "REGION", value: "eu" } });
    const step = { key: "say", type: "log", input: { message: "In {{ vars.REGION }}" } };
    await client.createJob({ body: { name: "Regional", steps: [step] } });
    const page = await it.open(`/ui/variables/${data.id}`);
    await page.getByRole("link", { name: "Regional" }).waitFor();
    await lookOver(page, "a variable that is used");
    await click(page, "Delete");
    const dialog = page.getByRole("dialog");
    await dialog.getByText("1 job refers to it").waitFor();
    await dialog.getByRole("button", { name: "Delete the variable" }).click();
    await heading(page, "Global variables");
    assert.equal((await client.variableExists({ params: { name: "REGION" } })).data, false);
    assert.deepEqual(page.troubles, []);
  });
});

describe("certificates", () => {
  test("tell what they say and when they expire, loudly when that is soon", async () => {
    const authority = makeCertificate({ subject: "Test CA", authority: true });
    const made = makeCertificate({
      subject: "partner.example.com",
      issuer: authority,
      dns: ["partner.example.com"],
      notAfter: new Date(Date.now() + 10.5 * dayMs),
    });
    const page = await it.open("/ui/certificates/new");
    await field(page, "Name").fill("partner");
    await field(page, "Certificate").fill("not PEM");
    await page.getByText("This does not look like PEM").waitFor();
    await click(page, "Make the certificate");
    await page.getByText("One field needs a look.").waitFor();
    await field(page, "Certificate").fill(made.certificate + authority.certificate);
    await field(page, "Private key").fill(made.privateKey);
    await lookOver(page, "a new certificate");
    await click(page, "Make the certificate");
    await heading(page, "partner");
    await page.getByText("expires in 10 days").waitFor();
    await page.getByText("It expires soon.").waitFor();
    await page.getByText("DNS:partner.example.com").waitFor();
    await page.getByRole("group", { name: "Private key" }).getByText("Set").waitFor();
    assert.ok(!(await page.content()).includes("PRIVATE KEY"));
    await lookOver(page, "a certificate");
    await go(page, "Certificates");
    await page.getByRole("link", { name: "partner" }).waitFor();
    await lookOver(page, "certificates");
    assert.deepEqual(page.troubles, []);
  });
});

describe("files", () => {
  test("are uploaded several at once, replaced when that is asked for, and downloaded", async () => {
    const page = await it.open("/ui/files");
    await page.getByText("No files yet").waitFor();
    const buffer = Buffer.from("a,b\n1,2\n");
    await page.locator('input[type="file"]').setInputFiles([
      { name: "one.csv", mimeType: "text/csv", buffer },
      { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<script>alert(1)</script>") },
    ]);
    const uploads = page.getByRole("region", { name: "Uploads" });
    await uploads.getByRole("link", { name: "one.csv" }).waitFor();
    await uploads.getByRole("link", { name: "page.html" }).waitFor();
    await page.locator('input[type="file"]').setInputFiles({
      name: "one.csv",
      mimeType: "text/csv",
      buffer: Buffer.from("a,b\n3,4\n"),
    });
    await uploads.getByText("There is a file of this name already.").waitFor();
    await lookOver(page, "files and uploads");
    await click(page, "Replace it");
    await uploads.getByText("There is a file of this name already.").waitFor({ state: "detached" });
    await uploads.getByRole("link", { name: "one.csv" }).last().click();
    await heading(page, "one.csv");
    await page.getByRole("row", { name: "Version 2" }).waitFor();
    await lookOver(page, "a file");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "one.csv");
    assert.equal(await readFile(await download.path(), "utf8"), "a,b\n3,4\n");
    assert.deepEqual(page.troubles, []);
  });
});

describe("datasets", () => {
  const csv = ["sku,price,since"].concat(
    Array.from({ length: 120 }, (_, i) => `B-${1000 + i},${i}.5,2026-01-02`),
  );

  test("are uploaded, and looked at a page at a time, found by text and sorted by a column", async () => {
    const page = await it.open("/ui/datasets/new");
    const file = { name: "price-list.csv", mimeType: "text/csv", buffer: Buffer.from(csv.join("\n")) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByText("price-list.csv").waitFor();
    assert.equal(await field(page, "Name").inputValue(), "price-list");
    await lookOver(page, "a dataset to upload");
    await click(page, "Upload");
    await heading(page, "price-list");
    await page.getByText("120 rows", { exact: true }).waitFor();
    await page.getByText("B-1000").waitFor();
    await lookOver(page, "a dataset");
    await click(page, "price");
    await click(page, "price");
    await page.getByText("119.5").waitFor();
    assert.match(page.url(), /sort=-price/);
    await page.getByRole("button", { name: "3", exact: true }).click();
    await page.getByText("B-1019").waitFor();
    await page.getByLabel("Search the rows").fill("B-1042");
    await page.getByText("1 row found").waitFor();

    await page.goto("/ui/datasets/new");
    await page.locator('input[type="file"]').setInputFiles(file);
    await click(page, "Upload");
    await page.getByText(/price-list.*already/i).waitFor();
    await go(page, "Datasets");
    await page.getByRole("link", { name: "price-list" }).waitFor();
    await lookOver(page, "datasets");
    assert.deepEqual(page.troubles, []);
  });
});

describe("API templates", () => {
  test("are written in a form, and show the step that uses them", async () => {
    const page = await it.open("/ui/api-templates/new");
    await field(page, "Name").fill("get-order");
    await field(page, "Path").fill("/orders/{{ params.id }}");
    await click(page, "Add a query value");
    await page.getByLabel("Name of the query value").fill("full");
    await page.getByLabel("Value of the query value full").fill("1");
    await page
      .getByLabel("Params")
      .fill('{ "type": "object", "required": ["id"], "properties": { "id": { "type": "integer" } } }');
    await lookOver(page, "a new API template");
    await click(page, "Make the template");
    await heading(page, "get-order");
    await page.getByText("apiTemplate: get-order").waitFor();
    await lookOver(page, "an API template");
    const { data } = await it.pawl.client.getApiTemplateByName({ params: { templateName: "get-order" } });
    assert.deepEqual([data.path, data.query], ["/orders/{{ params.id }}", { full: "1" }]);
    // What was typed is not lost by a click beside it.
    await field(page, "Path").fill("/elsewhere");
    await page.getByRole("link", { name: "API templates" }).last().click();
    await page.getByText("Leave without saving?").waitFor();
    await click(page, "Leave");
    await heading(page, "API templates");
    await lookOver(page, "API templates");
    assert.deepEqual(page.troubles, []);
  });
});

describe("names and texts that mean harm", () => {
  const names = [
    `<img src=x onerror="document.title='owned'"><script>document.title="owned"</script>\u202e\u2066gnp.elif\u2069`,
    `../../etc/passwd?x=1#y%00${"longest-of-all-".repeat(11)}`,
  ];
  const description = `"><svg onload="document.title='owned'">${"y".repeat(3900)}`;

  test("are text on every page that shows them", async () => {
    const { client } = it.pawl;
    const authority = makeCertificate({ subject: "<b>CA</b>", authority: true });
    const paths: string[] = [];
    for (const name of names) {
      const text = { name, description };
      const certificate = await client.upsertCertificate({
        query: {},
        body: { ...text, certificate: authority.certificate },
      });
      const dataset = await client.uploadDataset({
        query: { name },
        bytes: {
          type: "application/json",
          content: JSON.stringify([{ [name.slice(0, 90)]: names[0], b: description }]),
        },
      });
      const file = await client.uploadFile({
        query: { name },
        bytes: { type: "text/html", content: names[0]! },
      });
      const template = await client.upsertApiTemplate({
        query: {},
        body: { ...text, method: "GET", path: "/", headers: { "X-A": "<script>1</script>" } },
      });
      paths.push(
        `certificates/${certificate.data.id}`,
        `datasets/${dataset.data.id}`,
        `files/${file.data.id}`,
        `api-templates/${template.data.id}`,
      );
    }
    const page = await it.open("/ui/");
    for (const path of [...paths, "certificates", "datasets", "files", "api-templates"]) {
      await page.goto(`/ui/${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page
        .getByText(/longest-of-all|owned|gnp|passwd/)
        .first()
        .waitFor();
      await page.setViewportSize(phone);
      const wide = await sticksOut(page);
      const title = await page.title();
      await page.setViewportSize({ width: 1280, height: 720 });
      assert.notEqual(title, "owned", path);
      assert.equal(wide, null, `${path} is wider than a phone`);
    }
    assert.deepEqual(page.troubles, []);
  });
});
