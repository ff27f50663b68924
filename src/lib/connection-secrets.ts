import { restApi } from "./rest-api.ts";

interface Opened {
  connectionType: string;
  variables: Readonly<Record<string, string>>;
  sensitiveVariables: readonly string[];
}

/**
 * The values of a connection that must not be seen, and what they are sent as: a secret that is too short to be masked
 * by itself is long enough in its header.
 */
export function secretsIn({ connectionType, variables, sensitiveVariables }: Opened): string[] {
  const values = sensitiveVariables.map((name) => variables[name]).filter((value) => value !== undefined);
  if (connectionType !== "rest-api") return values;
  const { token = "", authType } = variables;
  // Of user:password the latter is a secret by itself.
  const password = authType === "basic" && token.includes(":") ? [token.slice(token.indexOf(":") + 1)] : [];
  return [...values, ...password, ...sentAs(variables)];
}

function sentAs(variables: Readonly<Record<string, string>>): string[] {
  try {
    const { authorization } = restApi(variables).credentials;
    return authorization === undefined ? [] : [authorization];
  } catch {
    // It can't be used, and says so to the step: nothing is sent of it.
    return [];
  }
}
