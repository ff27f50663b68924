import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { keyBytes, readKey } from "../lib/key-text.ts";
import { VaultError } from "./fault.ts";

/** The key that wraps the others. */
export interface MasterKey {
  /** Tells keys apart, and nothing of them. */
  id: string;
  /** For people: where it came from. */
  from: string;
  wrap(name: string, key: Buffer): Buffer;
  /** @throws VaultError KEY_WRONG when the text was altered: the id has told a wrong master key before */
  unwrap(name: string, wrapped: Buffer): Buffer;
}

export const masterKeyFile = "master-key";
const algorithm = "aes-256-gcm";
const authTagLength = 16;

export function masterKey(key: Buffer, from: string): MasterKey {
  const derive = (use: string) => Buffer.from(hkdfSync("sha256", key, Buffer.alloc(0), `pawl/v1/${use}`, 32));
  const wrapping = derive("wrap");
  const authenticated = (name: string) => Buffer.from(`pawl\0v1\0wrap\0${name}`);
  return {
    id: derive("master-id").toString("hex").slice(0, 12),
    from,
    wrap(name, inner) {
      const iv = randomBytes(12);
      const cipher = createCipheriv(algorithm, wrapping, iv, { authTagLength });
      cipher.setAAD(authenticated(name));
      return Buffer.concat([iv, cipher.update(inner), cipher.final(), cipher.getAuthTag()]);
    },
    unwrap(name, wrapped) {
      try {
        const decipher = createDecipheriv(algorithm, wrapping, wrapped.subarray(0, 12), { authTagLength });
        decipher.setAAD(authenticated(name));
        decipher.setAuthTag(wrapped.subarray(-authTagLength));
        return Buffer.concat([decipher.update(wrapped.subarray(12, -authTagLength)), decipher.final()]);
      } catch {
        throw new VaultError(
          "KEY_WRONG",
          `The key ${name} in the table vault_key was altered or damaged. Restore the table from a backup.`,
        );
      }
    },
  };
}

/** @throws VaultError KEY_UNREADABLE */
export async function readMasterKeyFile(path: string, setting: string): Promise<MasterKey> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new VaultError(
      "KEY_UNREADABLE",
      `The file ${path}, which ${setting} names, can't be read (${error.code}): see that it is there and that this account may read it.`,
    );
  });
  return masterKey(keyIn(text, path), path);
}

/** The key of the data directory; undefined when none was made. @throws VaultError KEY_UNREADABLE */
export async function readOwnMasterKey(dataDir: string): Promise<MasterKey | undefined> {
  const path = join(dataDir, masterKeyFile);
  try {
    return masterKey(keyIn(await readFile(path, "utf8"), path), path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    if (error instanceof VaultError) throw error;
    throw new VaultError("KEY_UNREADABLE", `The file ${path} can't be read (${code}): mend its rights.`);
  }
}

function keyIn(text: string, path: string): Buffer {
  const key = readKey(text);
  if (key) return key;
  throw new VaultError(
    "KEY_UNREADABLE",
    `The file ${path} holds no master key: it must have 32 random bytes, as 64 hex digits or in base64, and nothing else.`,
  );
}

/** Makes a key and puts it in the data directory, durable and readable by its owner only, or leaves nothing there. */
export async function makeOwnMasterKey(dataDir: string): Promise<MasterKey> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const key = randomBytes(keyBytes);
  const path = join(dataDir, masterKeyFile);
  const draft = `${path}.${randomUUID()}`;
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    const file = await open(draft, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o600);
    try {
      await file.writeFile(`${key.toString("base64")}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
  return masterKey(key, path);
}
