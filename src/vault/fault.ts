/** Why the vault can't be opened or changed; the message says what to do. */
export class VaultError extends Error {
  override readonly name = "VaultError";
  readonly code: VaultFault;
  constructor(code: VaultFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type VaultFault =
  /** There are sealed values, and no key for them. */
  | "KEY_MISSING"
  /** The key is another one, or the keyring is damaged. */
  | "KEY_WRONG"
  /** A file with a key can't be read, or holds none. */
  | "KEY_UNREADABLE"
  /** What was written is not ciphertext, or does not open again. */
  | "CANARY"
  /** Not possible now. */
  | "BUSY";
