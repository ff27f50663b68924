import { SHORTEST } from "./masker-texts.ts";

interface Opened {
  connectionType: string;
  variables: Readonly<Record<string, string>>;
  sensitiveVariables: readonly string[];
}

/** The values of a connection that must not be seen. */
export function secretsIn({ connectionType, variables, sensitiveVariables }: Opened): string[] {
  const values = sensitiveVariables.map((name) => variables[name]).filter((value) => value !== undefined);
  if (connectionType !== "rest-api") return values;
  const { token = "", authType } = variables;
  // Of user:password the latter is a secret by itself.
  const password = authType === "basic" && token.includes(":") ? [token.slice(token.indexOf(":") + 1)] : [];
  // Too short to be masked by itself, it is long enough in its header.
  const header = token !== "" && token.length < SHORTEST ? [`Bearer ${token}`] : [];
  return [...values, ...password, ...header];
}
