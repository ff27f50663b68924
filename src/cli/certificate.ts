import { basename, extname } from "node:path";
import type { Command } from "commander";
import { ClientError } from "../client/error.ts";
import type { Certificate, CertificateInput, CertificateItem } from "../contract/certificate.ts";
import { readSource } from "./apply.ts";
import { CliError } from "./exit.ts";
import { addNamedDelete, addNamedList, findNamed, type Noun } from "./named.ts";
import { readSecrets } from "./secrets.ts";
import { openSession, type Session } from "./session.ts";
import { fields, localTime, oneLine, paint, safe, table } from "./text.ts";

const certificates: Noun<CertificateItem> = {
  command: "certificate",
  word: "certificate",
  search: ({ client }, body) => client.searchCertificates({ body }),
  remove: ({ client }, id, force) => client.deleteCertificate({ params: { id }, query: { force } }),
};

export function addCertificate(program: Command): void {
  const group = program
    .command("certificate")
    .description("keep certificates that steps show to servers, or trust");
  addAdd(group);
  addNamedList(group, certificates, ["NAME", "SUBJECT", "EXPIRES", "KEY", "ID"], (one) => [
    oneLine(one.name, 60),
    oneLine(one.subject, 60),
    expiry(one.expiresAt),
    one.hasPrivateKey ? "sealed" : "none",
    one.id,
  ]);
  addShow(group);
  addNamedDelete(group, certificates, "delete a certificate and its private key");
}

interface AddOptions {
  name?: string;
  /** False: --no-key. */
  key?: string | false;
  description?: string;
}

function addAdd(group: Command): void {
  group
    .command("add")
    .argument("<file>", "PEM: the certificate, then each issuer in order; or certificates to trust")
    .option("--name <name>", "what to keep it as; left out, the file's own, without its ending")
    .option(
      "--key <file>",
      "PEM file of the private key, or - for standard input; left out, the one that is kept stays",
    )
    .option("--no-key", "keep none, and remove the one that is kept")
    .option("--description <text>", "what it is for")
    .description("keep a certificate, or renew the one of its name")
    .addHelpText(
      "after",
      `
The private key is sealed and never shown again. Where it has a passphrase, that is asked for, or read from standard input; it is used
once and not kept. Neither is an argument: others on the machine see those, and the shell remembers them.

Examples:
  $ pawl certificate add client.pem --key client.key
  $ pass show tls/client-key | pawl certificate add client.pem --name partner --key -
  $ pawl certificate add renewed.pem --name partner              the key that is kept stays, if it fits
  $ pawl certificate add /etc/ssl/company-root.pem               to trust, without a key`,
    )
    .action(async (file: string, options: AddOptions, command: Command) => {
      const session = openSession(command);
      if (file === "-" && options.key === "-") {
        throw new CliError(
          "usage",
          "Standard input can't be the certificate and the key too: name a file for one.",
        );
      }
      const name = options.name ?? (file === "-" ? undefined : basename(file, extname(file)));
      if (name === undefined) {
        throw new CliError("usage", "What comes from standard input has no name: give one with --name.");
      }
      const body = {
        name,
        description: options.description ?? (await describedAs(session, name)),
        certificate: certificatesIn(readSource(file), options.key),
        ...(await readKey(options.key)),
      };
      const { data, message } = await session.client.upsertCertificate({ body });
      session.result(data, () => `${safe(message)}\n${describe(data)}`);
      if (Date.parse(data.expiresAt) < Date.now()) session.note("The certificate has expired.");
    });
}

/** A renewal says nothing of what it is for: that stays. */
async function describedAs({ client }: Session, name: string): Promise<string> {
  try {
    return (await client.getCertificateByName({ params: { certificateName: name } })).data.description;
  } catch (error) {
    // Who may keep certificates need not be allowed to read them.
    if (error instanceof ClientError && ["NOT_FOUND", "FORBIDDEN"].includes(error.code)) return "";
    throw error;
  }
}

/** A file may hold the key too: it is no part of the certificate, and is sent only as what it is. */
function certificatesIn(pem: string, key: AddOptions["key"]): string {
  if (!/-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----/.test(pem)) return pem;
  if (key === undefined) {
    throw new CliError(
      "usage",
      "The file has a private key in it. To keep that too, name the file with --key again.",
      {
        hint: "To keep the certificate without it: --no-key.",
      },
    );
  }
  const blocks = pem.match(
    /-----BEGIN (?:X509 )?CERTIFICATE-----[\s\S]*?-----END (?:X509 )?CERTIFICATE-----/g,
  );
  return (blocks ?? []).join("\n");
}

async function readKey(key: AddOptions["key"]): Promise<Pick<CertificateInput, "privateKey" | "passphrase">> {
  if (key === undefined) return {};
  if (key === false) return { privateKey: null };
  const privateKey = readSource(key);
  if (!/BEGIN ENCRYPTED PRIVATE KEY|^Proc-Type: 4,ENCRYPTED/m.test(privateKey)) return { privateKey };
  if (key === "-") {
    throw new CliError(
      "usage",
      "The key has a passphrase, which standard input can't hold too: name the key's file.",
    );
  }
  return { privateKey, ...(await readSecrets([{ name: "passphrase" }])) };
}

function addShow(group: Command): void {
  group
    .command("show")
    .argument("<certificate>", "name or id")
    .option("--pem", "print the certificate itself, with its chain")
    .description("show what a certificate says, and whether its key is kept")
    .action(async (nameOrId: string, { pem }: { pem?: boolean }, command: Command) => {
      const session = openSession(command);
      const { id } = await findNamed(certificates, session, nameOrId);
      const { data } = await session.client.getCertificate({ params: { id } });
      session.result(data, () => (pem ? data.certificate.trimEnd() : describe(data)));
    });
}

function describe(one: Certificate): string {
  const head = fields([
    ["Name", paint("bold", safe(one.name))],
    ["Id", one.id],
    ["Description", oneLine(one.description, 200)],
    ["Private key", one.hasPrivateKey ? "sealed" : "none"],
    ["Names", oneLine(one.subjectAltNames.join(", "), 200)],
    ["Key", one.keyType],
    ["SHA-256", one.fingerprint],
    ["Version", `${one.version}, ${localTime(one.updatedAt)} by ${safe(one.updatedBy)}`],
  ]);
  const rows = one.chain.map((each) => [
    oneLine(each.subject, 60),
    oneLine(each.issuer, 60),
    localTime(each.notBefore),
    expiry(each.expiresAt),
  ]);
  return `${head}\n\n${table(["SUBJECT", "ISSUER", "VALID FROM", "EXPIRES"], rows)}`;
}

const soonMs = 30 * 86_400_000;

function expiry(timestamp: string): string {
  const left = Date.parse(timestamp) - Date.now();
  if (left < 0) return paint("red", `${localTime(timestamp)} (expired)`);
  return left < soonMs ? paint("yellow", localTime(timestamp)) : localTime(timestamp);
}
