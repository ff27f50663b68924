import type { NamedOption } from "../../contract/configuration.ts";
import type {
  Connection,
  ConnectionItem,
  ConnectionTypeInfo,
  DecryptedConnection,
} from "../../contract/connection.ts";
import type { OpenConnection } from "./decrypt.ts";
import type { ConnectionItemRow, ConnectionRow } from "./store.ts";
import { type Template, templateOf } from "./templates.ts";
import { testableTypes } from "./test-connection.ts";

export function presentConnection(row: ConnectionRow): Connection {
  return { ...present(row), variables: inOrder(row, { ...row.plain, ...row.sealed }) };
}

export function presentDecrypted({ connection, variables, sensitive }: OpenConnection): DecryptedConnection {
  return {
    ...present(connection),
    variables: inOrder(connection, variables),
    sensitiveVariables: sensitive,
  };
}

function present(row: ConnectionRow): Omit<Connection, "variables"> {
  const { id, name, connectionType, category, description, version, createdBy, updatedBy } = row;
  return {
    id,
    name,
    connectionType,
    category,
    description,
    version,
    createdAt: row.createdAt.toISOString(),
    createdBy,
    updatedAt: row.updatedAt.toISOString(),
    updatedBy,
  };
}

/** In the order of the template, further ones by name: where a value is kept does not show. */
function inOrder(
  { connectionType }: ConnectionRow,
  variables: Record<string, string>,
): Record<string, string> {
  const known = templateOf(connectionType).fields.map(({ name }) => name);
  const further = Object.keys(variables).filter((name) => !known.includes(name));
  const names = [...known, ...further.sort()].filter((name) => Object.hasOwn(variables, name));
  return Object.fromEntries(names.map((name) => [name, variables[name]!]));
}

export function presentItem({ id, name, connectionType, category }: ConnectionItemRow): ConnectionItem {
  return { id, name, connectionType, category };
}

export function presentOption({ id, name }: ConnectionItemRow): NamedOption {
  return { label: name, value: id };
}

export function presentTemplate(template: Template): ConnectionTypeInfo {
  const { connectionType, label, description, category, anyOfRequired, destination, extraPrefix } = template;
  return {
    connectionType,
    label,
    description,
    category,
    fields: template.fields.map(({ rule: _, ...field }) => field),
    anyOfRequired,
    destination,
    extraPrefix,
    testable: testableTypes.includes(connectionType),
  };
}
