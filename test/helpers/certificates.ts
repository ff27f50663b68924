import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** For tests only: certificates made on the spot, since Node can read them but not write them. */
export interface TestCertificate {
  /** PEM. */
  certificate: string;
  /** PKCS #8 in PEM. */
  privateKey: string;
  keys: { publicKey: KeyObject; privateKey: KeyObject };
  subject: string;
}

export interface CertificateToMake {
  /** Common name. */
  subject: string;
  /** Who signs; left out, it signs itself. */
  issuer?: TestCertificate;
  /** Keys to use again. */
  keys?: TestCertificate["keys"];
  authority?: boolean;
  dns?: string[];
  ips?: string[];
  notBefore?: Date;
  notAfter?: Date;
}

const dayMs = 86_400_000;

export function makeCertificate(what: CertificateToMake): TestCertificate {
  const keys = what.keys ?? generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { issuer, subject } = what;
  const algorithm = sequence(oid("1.2.840.10045.4.3.2")); // ecdsa-with-SHA256
  const tbs = sequence(
    explicit(0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name(issuer?.subject ?? subject),
    sequence(
      time(what.notBefore ?? new Date(Date.now() - dayMs)),
      time(what.notAfter ?? new Date(Date.now() + 365 * dayMs)),
    ),
    name(subject),
    keys.publicKey.export({ type: "spki", format: "der" }),
    explicit(3, sequence(...extensions(what))),
  );
  const signature = sign("sha256", tbs, issuer?.keys.privateKey ?? keys.privateKey);
  const der = sequence(tbs, algorithm, bitString(signature));
  return {
    certificate: pem("CERTIFICATE", der),
    privateKey: keys.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    keys,
    subject,
  };
}

function extensions({ authority, dns = [], ips = [] }: CertificateToMake): Buffer[] {
  const names = [
    ...dns.map((each) => element(0x82, Buffer.from(each))),
    ...ips.map((each) => element(0x87, Buffer.from(each.split(".").map(Number)))),
  ];
  return [
    sequence(oid("2.5.29.19"), octets(sequence(...(authority ? [element(0x01, Buffer.from([0xff]))] : [])))),
    ...(names.length > 0 ? [sequence(oid("2.5.29.17"), octets(sequence(...names)))] : []),
  ];
}

export function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g)!;
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

export function element(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  if (body.length < 128) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xffff ? 6 : 4, "0"), "hex");
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

export const sequence = (...content: Buffer[]) => element(0x30, ...content);
export const octets = (content: Buffer) => element(0x04, content);

/** Big-endian; a leading zero keeps it positive. */
export function integer(bytes: Buffer): Buffer {
  return element(0x02, bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split(".").map(Number);
  const bytes = [first! * 40 + second!];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return element(0x06, Buffer.from(bytes));
}

const bitString = (content: Buffer) => element(0x03, Buffer.from([0]), content);
const explicit = (n: number, content: Buffer) => element(0xa0 | n, content);
const name = (common: string) =>
  sequence(element(0x31, sequence(oid("2.5.4.3"), element(0x0c, Buffer.from(common)))));
/** GeneralizedTime, which knows years past 2049. */
const time = (date: Date) =>
  element(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]|\.\d+/g, "")}`));
