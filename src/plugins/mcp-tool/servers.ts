/** A server of the registry, ready to be called: credentials in the clear, for the length of one step. */
export interface RegisteredServer {
  id: string;
  name: string;
  url: URL;
  headers: Readonly<Record<string, string>>;
  /** Texts that must not be seen in what is kept or shown of its answers. */
  secrets: readonly string[];
  /** How the last discovery spoke to it; null before the first. */
  era: "legacy" | "modern" | null;
  /** Hashes of the tools that the last good discovery found, by name. */
  tools: ReadonlyMap<string, string>;
}

/**
 * Finds a server of the registry.
 * @throws StepError DECRYPT_FAILED
 */
export type FindServer = (
  which: { id: string } | { name: string },
  signal: AbortSignal,
) => Promise<RegisteredServer | undefined>;
