import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

const commonName = Buffer.from("0603550403", "hex");
const ecdsaWithSha256 = Buffer.from("300a06082a8648ce3d040302", "hex");
const dayMs = 86_400_000;

/**
 * A certificate that has signed itself, with its key, both in PEM. Made anew each time, since a key in the repository would
 * be everybody's. Node reads certificates and writes none: this is as much of DER as it takes.
 */
export function selfSigned(name: string, days: number): { certificate: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const subject = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from(name)))));
  const now = Date.now();
  const said = sequence(
    element(0x02, Buffer.from([1]), randomBytes(15)),
    ecdsaWithSha256,
    subject,
    sequence(time(now - dayMs), time(now + days * dayMs)),
    subject,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = element(0x03, Buffer.from([0]), sign("sha256", said, privateKey));
  const lines = sequence(said, ecdsaWithSha256, signature)
    .toString("base64")
    .match(/.{1,64}/g)!;
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`,
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

function element(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...content: Buffer[]) => element(0x30, ...content);

/** GeneralizedTime is for the years from 2050 on; UTCTime, which is for those before, has two digits of the year. */
function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  return digits < "2050" ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}
