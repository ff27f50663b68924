import type { DecryptedVariable } from "../../contract/variable.ts";
import type { Vault } from "../../vault/vault.ts";
import { openSealed } from "../sealed.ts";
import { type LoadedVariable, sealedField, type VariableStore } from "./store.ts";
import type { VariableDeps } from "./upsert.ts";

/** A variable as expressions see it. */
export interface VariableValue {
  value: unknown;
  /** To be masked wherever it shows up. */
  secret: boolean;
}

/** The variables of these names; one that is not there is left out. */
export type LoadVariables = (names: Iterable<string>) => Promise<Map<string, VariableValue>>;

/**
 * Reads variables for executions. Nothing is kept between calls, in which another process may change them; instead all who
 * ask while a query is under way share the next one, so that thousands of starts a second cost few queries.
 */
export function variableLoader(store: VariableStore, vault: Vault): LoadVariables {
  interface Batch {
    names: Set<string>;
    rows: Promise<Map<string, LoadedVariable>>;
  }
  let waiting: Batch | undefined;
  let underWay: Promise<unknown> = Promise.resolve();

  function ask(names: readonly string[]): Batch["rows"] {
    waiting ??= begin();
    for (const name of names) waiting.names.add(name);
    return waiting.rows;
  }

  function begin(): Batch {
    const names = new Set<string>();
    const rows = underWay.then(() => run(names));
    underWay = rows.catch(() => {});
    return { names, rows };
  }

  async function run(names: Set<string>): Promise<Map<string, LoadedVariable>> {
    // From here on who asks waits for the next: this one may read before their change.
    waiting = undefined;
    const rows = await store.load([...names]);
    return new Map(rows.map((row) => [row.name, row]));
  }

  /** @throws ApiError DECRYPT_FAILED when a secret among them does not open */
  return async (given) => {
    const names = [...new Set(given)];
    const values = new Map<string, VariableValue>();
    if (names.length === 0) return values;
    const rows = await ask(names);
    for (const name of names) {
      const row = rows.get(name);
      if (row) values.set(name, { value: shown(vault, row), secret: row.secret });
    }
    return values;
  };
}

/**
 * For the services that run steps: the variables of these names that are there, opened.
 * @throws ApiError DECRYPT_FAILED
 */
export async function openVariables(
  { store, vault }: VariableDeps,
  names: readonly string[],
): Promise<DecryptedVariable[]> {
  const rows = await store.load([...new Set(names)]);
  return rows.map((row) => ({ id: row.id, name: row.name, secret: row.secret, value: shown(vault, row) }));
}

function shown(vault: Vault, { id, secret, value, sealed }: LoadedVariable): unknown {
  return secret ? openSealed(vault, "variable", { record: id, field: sealedField }, sealed ?? "") : value;
}
