import { createHash, type Hash } from "node:crypto";
import { ApiError, type FaultDetail } from "../../contract/errors.ts";

export interface SentDigests {
  "content-md5"?: string | undefined;
  "content-digest"?: string | undefined;
}

interface Expected {
  header: keyof SentDigests;
  algorithm: "md5" | "sha256" | "sha512";
  value: Buffer;
}

const known = { "sha-256": "sha256", "sha-512": "sha512" } as const;
const lengths = { md5: 16, sha256: 32, sha512: 64 };

/** Hashes what passes, and says at the end whether it is what the sender meant. */
export interface Digests {
  update(bytes: Buffer): void;
  /** The SHA-256 in hex. @throws ApiError VALIDATION_FAILED: not what a digest said */
  finish(): string;
}

/** @throws ApiError VALIDATION_FAILED: a digest can't be read */
export function digestsOf(sent: SentDigests): Digests {
  const expected = [...md5Of(sent["content-md5"]), ...digestOf(sent["content-digest"])];
  const hashes = new Map<string, Hash>();
  for (const algorithm of ["sha256", ...expected.map((one) => one.algorithm)]) {
    hashes.set(algorithm, createHash(algorithm));
  }
  return {
    update(bytes) {
      for (const hash of hashes.values()) hash.update(bytes);
    },
    finish() {
      const found = new Map([...hashes].map(([algorithm, hash]) => [algorithm, hash.digest()]));
      const wrong = expected.filter(({ algorithm, value }) => !found.get(algorithm)!.equals(value));
      if (wrong.length > 0) {
        throw refused(
          wrong.map(({ header }) => fault(header, "is not that of the bytes that arrived: send them again.")),
        );
      }
      return found.get("sha256")!.toString("hex");
    },
  };
}

function md5Of(text: string | undefined): Expected[] {
  if (text === undefined) return [];
  const value = fromBase64(text.trim(), "md5");
  if (!value) throw refused([fault("content-md5", "must be the 16 bytes of an MD5 in base64.")]);
  return [{ header: "content-md5", algorithm: "md5", value }];
}

function digestOf(text: string | undefined): Expected[] {
  if (text === undefined) return [];
  const expected = text.split(",").flatMap((member): Expected[] => {
    const [, name, base64] = /^\s*([a-z0-9-]+)=:([A-Za-z0-9+/=]*):\s*$/.exec(member) ?? [];
    const algorithm = known[name as keyof typeof known];
    const value = algorithm && fromBase64(base64!, algorithm);
    return value ? [{ header: "content-digest", algorithm, value }] : [];
  });
  // To pass over one that can't be checked would let a slip of the pen pass for a check.
  if (expected.length === 0) {
    throw refused([fault("content-digest", "must have sha-256=:…: or sha-512=:…:, in base64.")]);
  }
  return expected;
}

function fromBase64(text: string, algorithm: keyof typeof lengths): Buffer | undefined {
  const value = Buffer.from(text, "base64");
  return value.length === lengths[algorithm] && value.toString("base64") === text ? value : undefined;
}

function fault(header: string, message: string): FaultDetail {
  return { path: `headers/${header}`, message };
}

function refused(details: FaultDetail[]): ApiError {
  const [first] = details;
  return new ApiError("VALIDATION_FAILED", `The request is not valid: ${first!.path} ${first!.message}`, {
    details,
  });
}
