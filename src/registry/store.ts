import { sql } from "kysely";
import type pg from "pg";
import {
  type DiscoveryError,
  type McpAuthType,
  type McpServerInfo,
  type McpServerStatus,
  type McpTool,
  mcpAuthTypes,
  mcpServerStatuses,
} from "../contract/mcp-server.ts";
import type { CompiledFilter, FieldMap } from "../db/filter.ts";
import { createKysely } from "../db/pool.ts";
import { inTransaction } from "../db/transaction.ts";

/** What `POST /ai/mcp-servers/search` may filter and sort by. */
export const serverFields: FieldMap = {
  id: { kind: "id", column: sql`mcp_server.id` },
  name: { kind: "string", column: sql`mcp_server.name`, lower: sql`mcp_server.name_lower` },
  description: { kind: "string", column: sql`mcp_server.description` },
  url: { kind: "string", column: sql`mcp_server.url` },
  authType: { kind: "enum", column: sql`mcp_server.auth_type`, values: mcpAuthTypes },
  status: { kind: "enum", column: sql`mcp_server.status`, values: mcpServerStatuses },
  toolCount: { kind: "number", column: sql`mcp_server.tool_count` },
  tags: { kind: "strings", column: sql`mcp_server.tags` },
  lastCheckedAt: { kind: "date", column: sql`mcp_server.last_checked_at` },
  createdAt: { kind: "date", column: sql`mcp_server.created_at` },
  createdBy: { kind: "string", column: sql`mcp_server.created_by` },
  updatedAt: { kind: "date", column: sql`mcp_server.updated_at` },
  updatedBy: { kind: "string", column: sql`mcp_server.updated_by` },
};
export const serverSearch = [serverFields.name!, serverFields.description!];

export type Era = "legacy" | "modern";

export interface ServerRow {
  id: string;
  name: string;
  description: string;
  url: string;
  authType: McpAuthType;
  /** Credentials in it are sealed. */
  authConfig: Record<string, unknown>;
  tags: string[];
  status: McpServerStatus;
  toolCount: number;
  lastCheckedAt: Date | null;
  lastError: DiscoveryError | null;
  protocolVersion: string | null;
  era: Era | null;
  serverInfo: McpServerInfo | null;
  createdAt: Date;
  createdBy: string;
  updatedAt: Date;
  updatedBy: string;
}

/** What is written of a server. */
export interface ServerTexts
  extends Pick<ServerRow, "id" | "name" | "description" | "url" | "authType" | "authConfig" | "tags"> {
  by: string;
  at: Date;
}

/** What a discovery that succeeded found. */
export interface Discovered {
  protocolVersion: string;
  era: Era;
  serverInfo: McpServerInfo;
  tools: McpTool[];
}

export type ServerStore = ReturnType<typeof serverStore>;

const columns = `id::text, name, description, url, auth_type as "authType", auth_config as "authConfig", tags, status,
  tool_count as "toolCount", last_checked_at as "lastCheckedAt", last_error as "lastError",
  protocol_version as "protocolVersion", era, server_info as "serverInfo", created_at as "createdAt",
  created_by as "createdBy", updated_at as "updatedAt", updated_by as "updatedBy"`;

export function serverStore(pool: pg.Pool) {
  const db = createKysely(pool);

  return {
    transaction: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => inTransaction(pool, work),

    async find(id: string): Promise<ServerRow | undefined> {
      const { rows } = await pool.query<ServerRow>(`select ${columns} from mcp_server where id = $1`, [id]);
      return rows[0];
    },

    /** Whatever the case of the name. */
    async findByName(name: string): Promise<ServerRow | undefined> {
      const { rows } = await pool.query<ServerRow>(
        `select ${columns} from mcp_server where name_lower = lower($1::text collate "default")`,
        [name],
      );
      return rows[0];
    },

    async search(filter: CompiledFilter): Promise<{ rows: ServerRow[]; total: number }> {
      const [found, count] = await Promise.all([
        sql<ServerRow>`select ${sql.raw(columns)} from mcp_server where ${filter.where}
          order by ${filter.orderBy} limit ${filter.limit} offset ${filter.offset}`.execute(db),
        sql<{ total: number }>`select count(*) as total from mcp_server where ${filter.where}`.execute(db),
      ]);
      return { rows: found.rows, total: count.rows[0]!.total };
    },

    /** Unchanged by others until the transaction ends. */
    async lock(client: pg.PoolClient, id: string): Promise<ServerRow | undefined> {
      const { rows } = await client.query<ServerRow>(
        `select ${columns} from mcp_server where id = $1 for update`,
        [id],
      );
      return rows[0];
    },

    async insert({
      id,
      name,
      description,
      url,
      authType,
      authConfig,
      tags,
      by,
      at,
    }: ServerTexts): Promise<void> {
      await pool.query(
        `insert into mcp_server (id, name, description, url, auth_type, auth_config, tags, created_at, created_by,
           updated_at, updated_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $9)`,
        [id, name, description, url, authType, JSON.stringify(authConfig), tags, at, by],
      );
    },

    /** `moved`: another place or another credential, of which nothing is known yet; what a discovery finds meanwhile is of the old one. */
    async update(client: pg.PoolClient, server: ServerTexts, moved: boolean): Promise<void> {
      const { id, name, description, url, authType, authConfig, tags, by, at } = server;
      await client.query(
        `update mcp_server set name = $2, description = $3, url = $4, auth_type = $5, auth_config = $6, tags = $7,
           updated_at = $8, updated_by = $9${moved ? ", status = 'UNKNOWN', last_error = null, discovery_id = null" : ""}
         where id = $1`,
        [id, name, description, url, authType, JSON.stringify(authConfig), tags, at, by],
      );
    },

    async remove(id: string): Promise<boolean> {
      const { rowCount } = await pool.query("delete from mcp_server where id = $1", [id]);
      return rowCount !== 0;
    },

    async tools(serverId: string): Promise<McpTool[]> {
      const { rows } = await pool.query<ToolRow>(
        "select definition, hash from mcp_server_tool where server_id = $1 order by position",
        [serverId],
      );
      return rows.map(toolOf);
    },

    async toolPage(serverId: string, page: number, size: number): Promise<McpTool[]> {
      const { rows } = await pool.query<ToolRow>(
        "select definition, hash from mcp_server_tool where server_id = $1 order by position limit $2 offset $3",
        [serverId, size, page * size],
      );
      return rows.map(toolOf);
    },

    /** The hashes of the tools by their names. */
    async hashes(serverId: string, client: pg.Pool | pg.PoolClient = pool): Promise<Map<string, string>> {
      const { rows } = await client.query<{ name: string; hash: string }>(
        "select name, hash from mcp_server_tool where server_id = $1 order by position",
        [serverId],
      );
      return new Map(rows.map(({ name, hash }) => [name, hash]));
    },

    /** Takes the one place that a server has for a discovery; false when it is taken, by whichever process. */
    async claim(id: string, discoveryId: string, forMs: number): Promise<boolean> {
      const { rowCount } = await pool.query(
        `update mcp_server set discovery_id = $2, discovery_until = now() + $3 * interval '1 ms'
         where id = $1 and (discovery_id is null or discovery_until < now())`,
        [id, discoveryId, forMs],
      );
      return rowCount !== 0;
    },

    async release(id: string, discoveryId: string): Promise<void> {
      await pool.query(
        "update mcp_server set discovery_id = null, discovery_until = null where id = $1 and discovery_id = $2",
        [id, discoveryId],
      );
    },

    /** Answers the time that was written, or undefined when the server was changed meanwhile and this is not about it any more. */
    async succeed(client: pg.PoolClient, id: string, discoveryId: string, found: Discovered) {
      const { protocolVersion, era, serverInfo, tools } = found;
      const { rows } = await client.query<{ at: Date }>(
        `update mcp_server set status = 'ONLINE', tool_count = $3, last_checked_at = date_trunc('milliseconds', clock_timestamp()),
           last_error = null, protocol_version = $4, era = $5, server_info = $6, discovery_id = null, discovery_until = null
         where id = $1 and discovery_id = $2 returning last_checked_at as at`,
        [id, discoveryId, tools.length, protocolVersion, era, JSON.stringify(serverInfo)],
      );
      return rows[0]?.at;
    },

    async fail(id: string, discoveryId: string, error: DiscoveryError) {
      const { rows } = await pool.query<{ at: Date; toolCount: number }>(
        `update mcp_server set status = 'OFFLINE', last_checked_at = date_trunc('milliseconds', clock_timestamp()),
           last_error = $3, discovery_id = null, discovery_until = null
         where id = $1 and discovery_id = $2 returning last_checked_at as at, tool_count as "toolCount"`,
        [id, discoveryId, JSON.stringify(error)],
      );
      return rows[0];
    },

    async replaceTools(client: pg.PoolClient, serverId: string, tools: McpTool[]): Promise<void> {
      await client.query("delete from mcp_server_tool where server_id = $1", [serverId]);
      await client.query(
        `insert into mcp_server_tool (server_id, position, name, hash, definition)
         select $1, position, name, hash, definition
         from unnest($2::text[], $3::text[], $4::json[]) with ordinality as tool (name, hash, definition, position)`,
        [
          serverId,
          tools.map((tool) => tool.name),
          tools.map((tool) => tool.hash),
          tools.map(({ hash: _hash, ...definition }) => JSON.stringify(definition)),
        ],
      );
    },
  };
}

interface ToolRow {
  definition: Omit<McpTool, "hash">;
  hash: string;
}

function toolOf({ definition, hash }: ToolRow): McpTool {
  return { ...definition, hash };
}
