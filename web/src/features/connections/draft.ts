import type { Connection, ConnectionInput, ConnectionTypeInfo } from "@contract/connection.ts";
import type { SecretChange } from "../configuration/secret-input.tsx";

/** A variable that the type does not know. */
export interface Extra {
  key: number;
  /** Without the prefix. */
  name: string;
  value: string;
}

/** A connection as its form has it. */
export interface ConnectionDraft {
  name: string;
  description: string;
  category: string;
  /** Those that are not sensitive, by name. */
  plain: Record<string, string>;
  /** What becomes of the sensitive ones; what is not here stays. */
  secrets: Record<string, SecretChange>;
  extras: Extra[];
}

let made = 0;
export const newExtra = (name = "", value = ""): Extra => ({ key: ++made, name, value });

/** Sensitive values come sealed. */
export const isSealed = (value: string | undefined): boolean => value?.startsWith("ENC(") ?? false;

export function draftOf(type: ConnectionTypeInfo, connection?: Connection): ConnectionDraft {
  const variables = connection?.variables ?? {};
  const plain: Record<string, string> = {};
  for (const { name, sensitive, default: byDefault } of type.fields) {
    if (!sensitive) plain[name] = (connection ? variables[name] : byDefault) ?? "";
  }
  const known = new Set(type.fields.map(({ name }) => name));
  const extras = Object.entries(variables)
    .filter(([name, value]) => !known.has(name) && !isSealed(value))
    .map(([name, value]) => newExtra(name.slice(type.extraPrefix.length), value));
  const { name = "", description = "", category = type.category } = connection ?? {};
  return { name, description, category, plain, secrets: {}, extras };
}

/** Names of the further variables that are sealed. */
export function sealedExtras(type: ConnectionTypeInfo, connection: Connection | undefined): string[] {
  const known = new Set(type.fields.map(({ name }) => name));
  return Object.entries(connection?.variables ?? {})
    .filter(([name, value]) => !known.has(name) && isSealed(value))
    .map(([name]) => name);
}

/** Whether the secrets would go elsewhere than before: then the server wants them entered again. */
export function destinationChanged(
  { destination }: ConnectionTypeInfo,
  { plain, secrets }: ConnectionDraft,
  connection: Connection | undefined,
): boolean {
  if (!connection) return false;
  return destination.some((name) => {
    const before = connection.variables[name] ?? "";
    if (isSealed(before)) return (secrets[name]?.kind ?? "keep") !== "keep";
    return name in plain ? plain[name] !== before : secrets[name]?.kind === "enter";
  });
}

/** The body that saves it. Sensitive variables that stay are left out. */
export function inputOf(
  type: ConnectionTypeInfo,
  draft: ConnectionDraft,
  connection: Connection | undefined,
): ConnectionInput {
  const variables: [string, string][] = [];
  for (const [name, value] of Object.entries(draft.plain)) if (value !== "") variables.push([name, value]);
  for (const [name, change] of Object.entries(draft.secrets)) {
    if (change.kind === "enter") variables.push([name, change.text]);
    if (change.kind === "remove") variables.push([name, ""]);
  }
  for (const { name, value } of draft.extras) {
    if (name !== "" && value !== "") variables.push([type.extraPrefix + name, value]);
  }
  return {
    ...(connection ? { id: connection.id } : {}),
    name: draft.name,
    connectionType: type.connectionType,
    category: draft.category,
    description: draft.description,
    // A name may be anything, such as __proto__.
    variables: Object.fromEntries(variables),
  };
}
