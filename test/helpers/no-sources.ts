import type { StepSources } from "../../src/jobs/confidential.ts";
import type { KnownReferences } from "../../src/jobs/references.ts";
import { memoryVault } from "./vault.ts";

/** For jobs that use neither connections nor variables: there are none. */
export function noSources(): { sources: StepSources; references: KnownReferences } {
  const nothing = () => Promise.reject(new Error("There is no connection and no variable here."));
  return {
    sources: { loadConnection: nothing, loadVariables: nothing, vault: memoryVault() },
    references: { findConnection: async () => undefined, findVariables: async () => new Set() },
  };
}
