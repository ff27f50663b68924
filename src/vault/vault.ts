import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Keyring, Purpose } from "./keyring.ts";
import { ivBytes, readSealed, type SealContext, tagBytes, writeSealed } from "./sealed-text.ts";

/** Seals secrets for the database and opens them again. */
export interface Vault {
  /** `ENC(v1.…)`: differs each time, and opens for this purpose, record and field only. */
  seal(purpose: Purpose, context: SealContext, plaintext: string): string;
  /** @throws SealError, the same whatever the cause */
  open(purpose: Purpose, context: SealContext, sealed: string): string;
  /** Where a sealed text says that it belongs: to find the record, not to be believed before `open`. */
  contextOf(sealed: string): SealContext | undefined;
  /** Well-formed; says nothing about whether it opens. */
  isSealed(text: string): boolean;
  /** @throws SealError when the text is not well-formed */
  keyId(sealed: string): string;
  /** Of the key that seals now. */
  readonly activeKeyId: string;
  /** 32 bytes for HMAC; the same for the life of the database, whatever rotates. */
  deriveKey(purpose: Purpose): Buffer;
}

/** A sealed value does not open. It never says why: the answer would help only who forges one. */
export class SealError extends Error {
  override readonly name = "SealError";
  constructor() {
    super(
      "This sealed value can't be opened: it was altered, belongs to another record or field, or was sealed by another Pawl. " +
        "Enter the value itself again.",
    );
  }
}

const algorithm = "aes-256-gcm";
/** No request body is larger; what is read back has room for it and its context in base64. */
const longestPlaintext = 1024 ** 2;
const longestField = 4096;

/** `keyring` is asked each time, for its keys rotate; `sealed` is told of each seal, by the id of its key. */
export function createVault(options: { keyring(): Keyring; sealed?(keyId: string): void }): Vault {
  return {
    seal(purpose, context, plaintext) {
      requireText(context, plaintext);
      const keyring = options.keyring();
      const keyId = keyring.activeId;
      options.sealed?.(keyId);
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, keyring.sealingKey(keyId, purpose)!, iv, {
        authTagLength: tagBytes,
      });
      cipher.setAAD(authenticated(purpose, keyId, context));
      const data = Buffer.concat([iv, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return writeSealed({ keyId, context, data });
    },
    open(purpose, context, sealed) {
      const parts = readSealed(sealed);
      const key = parts && options.keyring().sealingKey(parts.keyId, purpose);
      if (!parts || !key) throw new SealError();
      if (parts.context.record !== context.record || parts.context.field !== context.field) {
        throw new SealError();
      }
      const { data, keyId } = parts;
      try {
        // Without the length a tag of four bytes would do.
        const decipher = createDecipheriv(algorithm, key, data.subarray(0, ivBytes), {
          authTagLength: tagBytes,
        });
        decipher.setAAD(authenticated(purpose, keyId, context));
        decipher.setAuthTag(data.subarray(-tagBytes));
        const opened = [decipher.update(data.subarray(ivBytes, -tagBytes)), decipher.final()];
        return Buffer.concat(opened).toString("utf8");
      } catch {
        throw new SealError();
      }
    },
    contextOf: (sealed) => readSealed(sealed)?.context,
    isSealed: (text) => readSealed(text) !== undefined,
    keyId(sealed) {
      const parts = readSealed(sealed);
      if (!parts) throw new SealError();
      return parts.keyId;
    },
    get activeKeyId() {
      return options.keyring().activeId;
    },
    deriveKey: (purpose) => options.keyring().signingKey(purpose),
  };
}

/** Only the field, which is last, can hold a NUL: no two contexts are one sequence of bytes. */
function authenticated(purpose: Purpose, keyId: string, context: SealContext): Buffer {
  return Buffer.from(`pawl\0v1\0${purpose}\0${keyId}\0${context.record}\0${context.field}`);
}

/** UTF-8 has no lone surrogates: two texts that differ in one would be sealed alike, and open as neither. */
function requireText({ record, field }: SealContext, plaintext: string): void {
  if (record === "" || record.includes("\0")) throw new TypeError("A record has an id, without NUL.");
  if (![record, field, plaintext].every((text) => text.isWellFormed())) {
    throw new TypeError("Only well-formed text can be sealed: it has a lone surrogate.");
  }
  if (Buffer.byteLength(plaintext) > longestPlaintext || Buffer.byteLength(field) > longestField) {
    throw new RangeError("A sealed value has at most 1 MiB, and the name of its field 4 KiB.");
  }
}
