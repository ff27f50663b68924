import type { StepConnection } from "../contract/connection.ts";
import { type Path, pointerOf, replaceAt, secretPaths } from "../lib/json-schema/secrets.ts";
import { StepError } from "../lib/step-error.ts";
import { SealError, type Vault } from "../vault/vault.ts";

/** What steps use and no record holds, as it is when they run. Both throw StepError, and give up when aborted. */
export interface StepSources {
  loadConnection(id: string, executionId: string, signal: AbortSignal): Promise<StepConnection>;
  loadVariables(names: readonly string[], executionId: string, signal: AbortSignal): Promise<LoadedVariables>;
  vault: Vault;
}

export type LoadedVariables = ReadonlyMap<string, { value: unknown; secret: boolean }>;

type Values = Record<string, unknown>;

/** Seals and opens what is secret in the parameters of a job's executions. */
export function sealedParameters(schema: Values | undefined, vault: Vault) {
  const paths = secretPaths(schema);
  const context = (executionId: string, path: Path) => ({
    record: executionId,
    field: `parameters${pointerOf(path)}`,
  });

  return {
    paths,

    /** As they are recorded. */
    seal(executionId: string, parameters: Values): Values {
      return replaceAt(parameters, paths, (value, path) =>
        vault.seal("variable", context(executionId, path), JSON.stringify(value)),
      );
    },

    /** As steps see them. @throws StepError */
    open(executionId: string, recorded: Values): { params: Values; secrets: unknown[] } {
      const secrets: unknown[] = [];
      const params = replaceAt(recorded, paths, (sealed, path) => {
        const value = opening(() =>
          JSON.parse(vault.open("variable", context(executionId, path), String(sealed))),
        );
        secrets.push(value);
        return value;
      });
      return { params, secrets };
    },
  };
}

function opening<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    const message =
      "A secret parameter of the execution can't be opened: it was altered, or sealed by another Pawl.";
    throw new StepError("DECRYPT_FAILED", message, { retryable: false });
  }
}

/** Seals and opens what an execution hands on to one that it starts, for as long as it stands in a record of its own. */
export function handedOn(vault: Vault) {
  const context = (executionId: string) => ({ record: executionId, field: "handed on" });

  return {
    protect: (executionId: string, json: string) => vault.seal("variable", context(executionId), json),

    /** What was protected, opened, and where that was. Nothing else opens, whatever it looks like. */
    reveal(executionId: string, parameters: Values): { parameters: Values; secret: Path[] } {
      const secret: Path[] = [];
      const visit = (value: unknown, path: Path): unknown => {
        if (Array.isArray(value)) return value.map((item, i) => visit(item, [...path, String(i)]));
        if (typeof value === "object" && value !== null) {
          return Object.fromEntries(
            Object.entries(value).map(([key, item]) => [key, visit(item, [...path, key])]),
          );
        }
        if (typeof value !== "string" || !vault.isSealed(value)) return value;
        try {
          const opened = JSON.parse(vault.open("variable", context(executionId), value));
          secret.push(path);
          return opened;
        } catch (error) {
          if (error instanceof SealError) return value;
          throw error;
        }
      };
      return { parameters: visit(parameters, []) as Values, secret };
    },
  };
}
