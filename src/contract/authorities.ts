/** Every authority a route can name: `<Area>:<Resource>:<action>`. A grant may use `*` for any segment. */
export const authorities = [
  "JobService:Job:upsert",
  "JobService:Job:read",
  "JobService:Job:delete",
  "JobService:Job:execute",
  "JobService:Step:read",
  "JobService:Collection:upsert",
  "JobService:Collection:read",
  "JobService:Collection:delete",
  "JobService:JobExecution:read",
  "JobService:JobExecution:control",
  "JobService:JobExecution:approve",
  "ConfigService:Connection:upsert",
  "ConfigService:Connection:read",
  "ConfigService:Connection:delete",
  "ConfigService:Connection:decrypt",
  "ConfigService:GlobalVariable:upsert",
  "ConfigService:GlobalVariable:read",
  "ConfigService:GlobalVariable:delete",
  "ConfigService:GlobalVariable:decrypt",
  "ConfigService:Certificate:upsert",
  "ConfigService:Certificate:read",
  "ConfigService:Certificate:delete",
  "ConfigService:Certificate:decrypt",
  "ConfigService:Dataset:upsert",
  "ConfigService:Dataset:read",
  "ConfigService:Dataset:delete",
  "ConfigService:File:upsert",
  "ConfigService:File:read",
  "ConfigService:File:delete",
  "ConfigService:ApiTemplate:upsert",
  "ConfigService:ApiTemplate:read",
  "ConfigService:ApiTemplate:delete",
  "AiService:McpServer:upsert",
  "AiService:McpServer:read",
  "AiService:McpServer:delete",
  "AiService:McpServer:discover",
  "AiService:McpBridge:read",
  "AdminService:Engine:read",
  "AdminService:Engine:drain",
  "AdminService:Vault:read",
  "AdminService:Vault:rotate",
  "AdminService:Audit:read",
  "IdentityService:McpSession:create",
  "IdentityService:Token:create",
  "IdentityService:Token:read",
  "IdentityService:Token:revoke",
  "IdentityService:Principal:upsert",
  "IdentityService:Principal:read",
  "IdentityService:Principal:delete",
] as const;

export type Authority = (typeof authorities)[number];

/** What a route asks of its caller: an authority, a valid credential only, or nothing at all. */
export type Access = Authority | "authenticated" | "public";

/** Whether a granted authority (which may hold `*` segments) covers the one needed (or another grant). */
export function covers(granted: string, needed: string): boolean {
  const have = granted.split(":");
  const want = needed.split(":");
  return have.length === 3 && want.length === 3 && have.every((part, i) => part === "*" || part === want[i]);
}
