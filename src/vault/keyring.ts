import { hkdfSync } from "node:crypto";

/** What a key is for: each purpose has keys of its own, so that a value of one never opens as another's. */
export const purposes = [
  "connection",
  "variable",
  "certificate",
  "mcp",
  "webhook",
  "session",
  "requestState",
  "audit",
  "canary",
] as const;
export type Purpose = (typeof purposes)[number];

/** The keys in use, unwrapped. Only this folder sees it. */
export interface Keyring {
  /** Of the key that seals. */
  activeId: string;
  /** For a purpose, from the data key of this id; undefined when there is no such key. */
  sealingKey(id: string, purpose: Purpose): Buffer | undefined;
  /** Does not change when data keys rotate: signatures and chains outlive them. */
  signingKey(purpose: Purpose): Buffer;
}

export interface KeyMaterial {
  activeId: string;
  dataKeys: ReadonlyMap<string, Buffer>;
  signingRoot: Buffer;
}

/** Derives on first use and keeps what it derived: HKDF costs as much as sealing. */
export function createKeyring({ activeId, dataKeys, signingRoot }: KeyMaterial): Keyring {
  const derived = new Map<string, Buffer>();
  const derive = (name: string, from: Buffer, info: string): Buffer => {
    const known = derived.get(name);
    if (known) return known;
    const key = Buffer.from(hkdfSync("sha256", from, Buffer.alloc(0), info, 32));
    derived.set(name, key);
    return key;
  };
  return {
    activeId,
    sealingKey(id, purpose) {
      const dataKey = dataKeys.get(id);
      return dataKey && derive(`${purpose}.${id}`, dataKey, `pawl/v1/seal/${purpose}`);
    },
    signingKey: (purpose) => Buffer.from(derive(purpose, signingRoot, `pawl/v1/sign/${purpose}`)),
  };
}
