import type { StepSources } from "../../src/jobs/confidential.ts";
import type { KnownReferences } from "../../src/jobs/references.ts";
import type { StepResources } from "../../src/plugins/resources.ts";
import { memoryVault } from "./vault.ts";

/** For jobs that use neither connections nor variables: there are none. */
export function noSources(): { sources: StepSources; references: KnownReferences } {
  const nothing = () => Promise.reject(new Error("There is no connection and no variable here."));
  return {
    sources: { loadConnection: nothing, loadVariables: nothing, vault: memoryVault() },
    references: {
      findConnection: async () => undefined,
      findVariables: async () => new Set(),
      hasRecord: async () => false,
    },
  };
}

/** For step types that are run alone, and take nothing from the configuration service but what is given. */
export function noResources(given: Partial<StepResources> = {}): StepResources {
  const nothing = () => Promise.reject(new Error("There is no such thing here."));
  return {
    loadCertificate: nothing,
    fillApiTemplate: nothing,
    readRows: nothing,
    addRows: nothing,
    openFile: nothing,
    writeFile: nothing,
    ...given,
  };
}
