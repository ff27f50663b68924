import type { Client } from "../client/client.ts";
import { type Connection, type ConnectionType, connectionTypes } from "../contract/connection.ts";
import { didYouMean } from "../lib/did-you-mean.ts";
import { CliError } from "./exit.ts";
import { where } from "./filters.ts";
import { pawl } from "./own-name.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The connection of this name, or of this id; of connections of several types with the name, the one of this type. */
export async function findConnection(
  client: Client,
  nameOrId: string,
  type: string | undefined,
): Promise<Connection> {
  const connectionType = type === undefined ? undefined : typeNamed(type);
  const named = await client.searchConnections({
    body: {
      size: 20,
      sortBy: "connectionType",
      sortOrder: "asc",
      filters: where({ name: nameOrId, connectionType }),
    },
  });
  const [hit, another] = named.data;
  if (another) {
    const types = named.data.map((one) => one.connectionType).join(", ");
    throw new CliError(
      "refused",
      `Several connections are named "${nameOrId}", of the types ${types}: say which with --type.`,
    );
  }
  const id = hit?.id ?? (uuid.test(nameOrId) ? nameOrId : undefined);
  if (id !== undefined) return (await client.getConnection({ params: { id } })).data;

  const { data } = await client.searchConnections({ body: { size: 200, sortBy: "name", sortOrder: "asc" } });
  const names = data.map(({ name }) => name);
  const ofType = connectionType === undefined ? "" : ` of the type ${connectionType}`;
  throw new CliError(
    "refused",
    `There is no connection named "${nameOrId}"${ofType}.${didYouMean(nameOrId, names)}`,
    {
      hint: `\`${pawl} connection list\` shows those there are.`,
    },
  );
}

/** A type as it was typed. */
export function typeNamed(text: string): ConnectionType {
  const type = connectionTypes.find((each) => each === text);
  if (type !== undefined) return type;
  throw new CliError("usage", `There is no type "${text}".${didYouMean(text, connectionTypes)}`, {
    hint: `\`${pawl} connection types\` lists them.`,
  });
}
