import assert from "node:assert/strict";
import { createHash, createPrivateKey } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeCertificate } from "./helpers/certificates.ts";
import { keptPawl } from "./helpers/pawl-command.ts";
import { type RunningPawl, startTestPawl } from "./helpers/running-pawl.ts";
import { scratchRoot } from "./helpers/scratch.ts";

const orders =
  'id,customer,amount,paid,zip\n1,"Åse, Oslo",10.5,true,0150\n2,Bob,-3,false,10115\n3,=1+1,7,true,02\n';

describe("pawl dataset, file, certificate and api-template", () => {
  let folder: string;
  let server: RunningPawl;
  const said: string[] = [];

  before(async () => {
    folder = mkdtempSync(join(scratchRoot(), "pawl-cli-data-"));
    server = await startTestPawl({ PAWL_FILE_LIMIT: "1MiB" });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  const at = (name: string) => join(folder, name);
  const write = (name: string, content: string | Buffer) => writeFileSync(at(name), content);
  const read = (name: string) => readFileSync(at(name), "utf8");
  async function pawl(args: string[], input?: string) {
    const env = { PAWL_URL: server.url, PAWL_TOKEN: server.admin, PAWL_DATA_DIR: folder };
    const outcome = await keptPawl(args, { cwd: folder, env, ...(input === undefined ? {} : { input }) });
    said.push(outcome.stdout, outcome.stderr);
    return outcome;
  }
  async function done(args: string[], input?: string) {
    const outcome = await pawl(args, input);
    assert.equal(outcome.code, 0, `${args.join(" ")}: ${outcome.stderr}`);
    return outcome.stdout;
  }
  const json = async (args: string[], input?: string) => JSON.parse(await done([...args, "--json"], input));
  /** Each is run, and refused with this code and words. */
  async function refused(slips: [string[], number, RegExp, string?][]) {
    await Promise.all(
      slips.map(async ([args, code, words, input]) => {
        const outcome = await pawl(args, input);
        assert.match(outcome.stderr, words, args.join(" "));
        assert.equal(outcome.code, code, args.join(" "));
      }),
    );
  }

  test("keep a table: uploaded, shown, filtered, saved again to the letter, replaced, deleted", async () => {
    write("orders.csv", orders);
    assert.match(
      await done(["dataset", "upload", "orders.csv", "--description", "d"]),
      /created.*\n.*\nid +integer/s,
    );
    const shown = await json(["dataset", "show", "orders"]);
    assert.deepEqual(
      [shown.name, shown.description, shown.rowCount, shown.columns.length],
      ["orders", "d", 3, 5],
    );
    assert.match(await done(["dataset", "show", shown.id.toUpperCase()]), /^zip +string$/m);
    assert.match(await done(["dataset", "list", "--search", "ORD"]), /^orders +3 +5 /m);
    const ids = async (...args: string[]) =>
      (await json(["dataset", "rows", "orders", ...args])).map(({ id }: { id: number }) => id);
    assert.deepEqual(await ids("--sort-by", "amount", "--desc"), [1, 3, 2]);
    assert.deepEqual(await ids("--where", "amount>=-3", "amount<10", "paid=false"), [2]);
    assert.deepEqual(await ids("--where", "customer~åse"), [1]);
    assert.deepEqual(await ids("--where", "zip=02", "--search", "1+1"), [3]);
    const page = await pawl(["dataset", "rows", "orders", "--limit", "2", "--page", "2"]);
    assert.match(page.stdout, /^3 +=1\+1 +7 +true +02$/m);
    assert.match(page.stderr, /Page 2 of 2: 1 of 3 rows/);

    assert.match(
      await done(["dataset", "download", "orders", "-o", "-", "--keep-formulas"]),
      /\r\n3,=1\+1,7,true,02\r\n$/,
    );
    assert.match(await done(["dataset", "download", "orders", "-o", "-"]), /\r\n3,'=1\+1,7/);
    assert.equal((await pawl(["dataset", "download", "orders"])).code, 2, "orders.csv is there already");
    assert.equal(read("orders.csv"), orders);
    await done(["dataset", "download", "orders", "--format", "json"]);
    const again = await json([
      "dataset",
      "upload",
      "orders.json",
      "--name",
      "again",
      "--column",
      "amount:string",
    ]);
    assert.deepEqual([again.rowCount, again.columns[2].type], [3, "string"]);
    const piped = await json(
      ["dataset", "upload", "-", "--name", "orders", "--format", "csv", "--no-header"],
      "1;2\n",
    );
    assert.deepEqual([piped.version, piped.columns[0].name, piped.description], [2, "column_1", "d"]);
    assert.equal((await pawl(["dataset", "delete", "again"])).code, 2, "it asks first");
    assert.equal((await json(["dataset", "delete", "again", "--yes"])).deleted, true);

    write("bad.csv", "a,b\n1\n");
    write("plain", "a\n");
    await refused([
      [["dataset", "show", "ordesr"], 5, /no dataset named "ordesr"\. Did you mean "orders"/],
      [["dataset", "upload", "bad.csv"], 5, /row 1 \(line 2\) has 1 cells/],
      [["dataset", "upload", "plain"], 2, /plain may be CSV or JSON: say which with --format/],
      [["dataset", "upload", ".", "--format", "csv"], 2, /\. is no file/],
      [["dataset", "upload", "orders.csv", "--create-only"], 5, /There is a dataset named "orders" already/],
    ]);
  });

  test("keep files: as they are, saved only when all of them is there, never over another", async () => {
    const bytes = Buffer.from(Array.from({ length: 500_000 }, (_, i) => (i * 7) % 256));
    write("data.bin", bytes);
    const made = await json(["file", "upload", "data.bin", "--description", "d"]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    assert.deepEqual(
      [made.name, made.size, made.sha256, made.contentType],
      ["data.bin", 500_000, sha256, "application/octet-stream"],
    );
    assert.match(await done(["file", "show", "data.bin"]), new RegExp(`^SHA-256 +${sha256}$`, "m"));
    assert.match(await done(["file", "list"]), /^data\.bin +488\.3 KiB +application\/octet-stream/m);
    assert.equal((await pawl(["file", "download", "data.bin"])).code, 2, "it is there already");
    write("data.bin", "changed");
    await done(["file", "download", made.id, "--force"]);
    assert.ok(readFileSync(at("data.bin")).equals(bytes));
    await done(["file", "download", "data.bin", "-o", "copy.bin"]);
    assert.ok(readFileSync(at("copy.bin")).equals(bytes));

    const hostile = await json(["file", "upload", "-", "--name", "../../x/.bashrc"], "hi");
    assert.equal(hostile.contentType, "application/octet-stream");
    await done(["file", "download", "../../x/.bashrc"]);
    assert.equal(read("__.._x_.bashrc"), "hi", "whoever named it does not choose where it goes");
    assert.equal(await done(["file", "download", hostile.id, "-o", "-"]), "hi");
    write("page.html", "<p>");
    assert.equal((await json(["file", "upload", "page.html"])).contentType, "text/html");
    write("large.bin", Buffer.alloc(1024 * 1024 + 1));
    await refused([
      [["file", "upload", "large.bin"], 5, /larger than 1048576 bytes/],
      [["file", "upload", "page.html", "--type", "no type"], 5, /Content-Type is not a media type/],
      [["file", "upload", "page.html", "--create-only"], 5, /There is a file named "page\.html" already/],
      [["file", "download", "data.bin", "-o", "none/x"], 2, /none\/x can't be written \(ENOENT\)/],
      [["file", "download", "data.bni"], 5, /Did you mean "data\.bin"/],
    ]);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith(".pawl-download")),
      [],
      "nothing is left of what was refused",
    );
    assert.equal((await json(["file", "delete", made.id, "--yes"])).name, "data.bin");
    assert.equal(existsSync(at("none")), false);
  });

  test("keep a certificate with its key from a file or standard input, and show no key", async () => {
    const root = makeCertificate({ subject: "Test root", authority: true });
    const leaf = makeCertificate({ subject: "client", issuer: root, dns: ["client.example"] });
    const expired = makeCertificate({ subject: "old", notAfter: new Date(Date.now() - 1000) });
    const passphrase = "canary-pass-77";
    const locked = createPrivateKey(leaf.privateKey).export({
      type: "pkcs8",
      format: "pem",
      cipher: "aes-256-cbc",
      passphrase,
    });
    write("client.pem", leaf.certificate + root.certificate);
    write("client.key", leaf.privateKey);
    write("locked.key", String(locked));
    write("both.pem", leaf.privateKey + leaf.certificate);
    write("old.pem", expired.certificate);
    const made = await json([
      "certificate",
      "add",
      "client.pem",
      "--key",
      "client.key",
      "--description",
      "d",
    ]);
    assert.deepEqual(
      [made.name, made.subject, made.hasPrivateKey, made.chain.length],
      ["client", "CN=client", true, 2],
    );
    assert.match(await done(["certificate", "show", "client"]), /^Private key +sealed$/m);
    assert.equal(
      (await done(["certificate", "show", made.id, "--pem"])).trim(),
      (leaf.certificate + root.certificate).trim(),
    );
    const renewed = await json(["certificate", "add", "client.pem"]);
    assert.deepEqual(
      [renewed.version, renewed.hasPrivateKey, renewed.description],
      [1, true, "d"],
      "it is as it was",
    );
    const kept = async (id: string) =>
      (await server.client.getDecryptedCertificate({ params: { certificateId: id } })).data;
    for (const [args, input] of [
      [["client.pem", "--name", "piped", "--key", "-"], leaf.privateKey],
      [["client.pem", "--name", "locked", "--key", "locked.key"], `${passphrase}\n`],
      [["both.pem", "--key", "both.pem"], undefined],
    ] as [string[], string?][]) {
      const one = await json(["certificate", "add", ...args], input);
      assert.equal((await kept(one.id)).privateKey, leaf.privateKey, args.join(" "));
    }
    assert.equal((await json(["certificate", "add", "both.pem", "--no-key"])).hasPrivateKey, false);
    const old = await pawl(["certificate", "add", "old.pem"]);
    assert.deepEqual([old.code, old.stderr], [0, "The certificate has expired.\n"]);
    assert.match(await done(["certificate", "list"]), /^old +CN=old +.*\(expired\) +none/m);
    await refused([
      [
        ["certificate", "add", "old.pem", "--key", "client.key"],
        5,
        /is not the key of the first certificate/,
      ],
      [["certificate", "add", "both.pem"], 2, /has a private key in it/],
      [
        ["certificate", "add", "client.key", "--no-key", "--name", "x"],
        5,
        /must be one certificate or more in PEM/,
      ],
      [["certificate", "add", "client.pem", "--key", "locked.key"], 2, /Standard input is empty/],
      [
        ["certificate", "add", "client.pem", "--key", "locked.key"],
        5,
        /does not open the private key/,
        "wrong\n",
      ],
      [["certificate", "add", "client.pem", "--key", "-"], 2, /has a passphrase/, String(locked)],
      [
        ["certificate", "add", "-", "--key", "-", "--name", "x"],
        2,
        /can't be the certificate and the key too/,
      ],
    ]);
    const parts = [passphrase, ...leaf.privateKey.split("\n").slice(1, -2)];
    for (const text of said) for (const part of parts) assert.ok(!text.includes(part), "a key was shown");
    assert.equal((await json(["certificate", "delete", "client", "--yes"])).deleted, true);
  });

  test("keep API templates: from YAML, shown as YAML that goes back, faults with their line", async () => {
    const yaml = "name: get-order\nmethod: GET\npath: /orders/{{ params.id }}\nquery: { fields: [id] }\n";
    write("get.yaml", yaml);
    assert.match(
      await done(["api-template", "apply", "get.yaml"]),
      /^The API template is created\. get-order /,
    );
    assert.match(await done(["api-template", "list"]), /^get-order +GET +\/orders\/\{\{ params\.id \}\}/m);
    const shown = await done(["api-template", "show", "get-order"]);
    assert.match(await done(["api-template", "apply", "-"], shown), /^The API template is as it was\./);
    const asJson = await json(["api-template", "show", "get-order"]);
    assert.match(
      await done(["api-template", "apply", "-"], JSON.stringify(asJson)),
      /^The API template is as it was\./,
    );
    const [changed] = await json(["api-template", "apply", "-"], shown.replace("orders", "invoices"));
    assert.deepEqual([changed.version, changed.path], [2, "/invoices/{{ params.id }}"]);
    write("bad.yaml", `${yaml}headers:\n  Authorization: Bearer x\n`);
    await refused([
      [["api-template", "apply", "bad.yaml"], 5, /bad\.yaml:6:\d+: \/headers\/Authorization has credentials/],
      [["api-template", "apply", "-"], 2, /is not YAML or JSON/, "a: [1"],
      [["api-template", "show", "getorder"], 5, /Did you mean "get-order"/],
    ]);
    assert.equal((await json(["api-template", "delete", "get-order", "--yes"])).name, "get-order");
  });

  test("teach with --help", async () => {
    await Promise.all(
      ["dataset upload", "file download", "certificate add", "api-template apply"].map(async (command) => {
        const help = await done([...command.split(" "), "--help"]);
        assert.match(help, /Examples:/, command);
        assert.match(help, /--json/, command);
      }),
    );
  });
});
