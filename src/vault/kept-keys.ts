/** A key as it is kept: wrapped by the master key. */
export interface KeptKey {
  id: string;
  kind: "data" | "signing";
  /** pending: made, and not used to seal until every process has it; retired: opens only. */
  state: "pending" | "active" | "retired";
  wrapped: Buffer;
  /** The id of the master key that wraps it. */
  master: string;
  createdAt: Date;
  activatedAt: Date | null;
  /** How many values it has sealed, or a few more or less: counted now and then. */
  seals: number;
}

export interface KeptKeyring {
  /** Counts its changes. */
  version: number;
  keys: KeptKey[];
}

export interface KeptProcess {
  id: string;
  version: number;
  /** Ids of the master keys that it was given. */
  masters: string[];
}

export interface KeptRotation {
  id: string;
  keyId: string;
  startedBy: string;
  startedAt: Date;
  /** Values to seal anew, as counted when the key became active. */
  total: number;
  /** Values that no key opens, and that stay as they are. */
  unreadable: number;
  finishedAt: Date | null;
}

/** What may be done while the keyring is held. */
export interface KeyringChange {
  insert(key: Pick<KeptKey, "id" | "kind" | "state" | "wrapped" | "master">): Promise<void>;
  /** The pending key seals from now on, the one that did only opens. */
  activate(id: string): Promise<void>;
  /** No key seals any more, and no rotation is under way. */
  retireAll(): Promise<void>;
  rewrap(id: string, wrapped: Buffer, master: string): Promise<void>;
  /** Writes it and reads the row again, as it is. */
  writeCanary(sealed: string): Promise<string>;
  /** Processes that were seen of late. */
  processes(): Promise<KeptProcess[]>;
  /** The rotation that has not ended. */
  rotation(): Promise<KeptRotation | undefined>;
  insertRotation(rotation: { id: string; keyId: string; startedBy: string }): Promise<void>;
}

/** Where the keys are kept. This folder knows no SQL: the composition root hands it the functions. */
export interface KeyringStore {
  read(): Promise<KeptKeyring>;
  version(): Promise<number>;
  /** Holds the keyring, so that one process at a time changes it; nothing is kept when `work` throws. */
  change<Result>(work: (kept: KeptKeyring, change: KeyringChange) => Promise<Result>): Promise<Result>;
  /** This process is here, with this version of the keyring, and has sealed so much since it said so last. */
  report(process: KeptProcess, seals: ReadonlyMap<string, number>): Promise<void>;
  forgetProcess(id: string): Promise<void>;
  processes(): Promise<KeptProcess[]>;
  /** The one under way, or else the latest. */
  rotation(): Promise<KeptRotation | undefined>;
  /** Takes up the rotation that has not ended, unless another process is at it. */
  claimRotation(worker: string): Promise<KeptRotation | undefined>;
  /** Still at it; false when another process has taken it over. */
  keepRotation(
    id: string,
    worker: string,
    progress: { total?: number; unreadable?: number; finished?: true },
  ): Promise<boolean>;
  releaseRotation(worker: string): Promise<void>;
}
