import type { Config } from "./config.ts";

/** Faults of values that are right one by one and wrong together. */
export function crossFaults(config: Config, nodeEnv: string | undefined): string[] {
  const faults: string[] = [];
  if (config.egress === "guarded" && config.egressAllow?.length > 0) {
    faults.push("PAWL_EGRESS_ALLOW has an effect only with PAWL_EGRESS=strict: set that, or drop the list.");
  }
  faults.push(...masterKeyFaults(config));
  if (config.oidcClientId && !config.oidcIssuer) {
    faults.push("PAWL_OIDC_CLIENT_ID needs PAWL_OIDC_ISSUER: set that too, or drop it.");
  }
  if (config.oidcClientSecret && !config.oidcClientId) {
    faults.push("PAWL_OIDC_CLIENT_SECRET needs PAWL_OIDC_CLIENT_ID: set that too, or drop it.");
  }
  if ((config.configurationUrl === undefined) !== (config.configurationToken === undefined)) {
    faults.push("PAWL_CONFIGURATION_URL and PAWL_CONFIGURATION_TOKEN belong together: set both, or neither.");
  }
  if (config.failpoint !== undefined && nodeEnv !== "test") {
    faults.push(
      "PAWL_FAILPOINT kills the server and is for crash tests only: unset it, or set NODE_ENV=test.",
    );
  }
  return faults;
}

function masterKeyFaults(config: Config): string[] {
  const faults: string[] = [];
  if (config.masterKey && config.masterKeyFile) {
    faults.push("PAWL_MASTER_KEY and PAWL_MASTER_KEY_FILE are both set: keep the one that you mean.");
  }
  const previous = config.masterKeyPrevious ?? config.masterKeyPreviousFile;
  if (config.masterKeyPrevious && config.masterKeyPreviousFile) {
    faults.push("PAWL_MASTER_KEY_PREVIOUS and PAWL_MASTER_KEY_PREVIOUS_FILE are both set: keep one.");
  }
  if (previous && !config.masterKey && !config.masterKeyFile) {
    faults.push(
      "A previous master key is set and no new one: set PAWL_MASTER_KEY or PAWL_MASTER_KEY_FILE to it.",
    );
  }
  return faults;
}
