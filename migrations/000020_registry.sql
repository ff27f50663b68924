-- External MCP servers. Credentials in auth_config are sealed one by one (vault:v1.…), bound to this row and their place in it.
create table mcp_server (
  id               uuid primary key,
  name             text collate "C" not null,
  name_lower       text collate "C" not null generated always as (lower(name collate "default")) stored,
  description      text collate "C" not null,
  url              text collate "C" not null,
  auth_type        text not null check (auth_type in ('NONE', 'BEARER', 'API_KEY', 'BASIC', 'CUSTOM')),
  auth_config      json not null,
  tags             text[] not null,
  status           text not null default 'UNKNOWN' check (status in ('ONLINE', 'OFFLINE', 'UNKNOWN')),
  tool_count       integer not null default 0,
  last_checked_at  timestamptz,
  last_error       json,                -- of the last discovery: {step, code, message}
  protocol_version text,                -- of the last one that succeeded, and so are the next two
  era              text check (era in ('legacy', 'modern')),
  server_info      json,
  discovery_id     uuid,                -- of the one under way; what another one finds is not written
  discovery_until  timestamptz,         -- by then it is over, or its process is dead
  created_at       timestamptz not null,
  created_by       text not null,
  updated_at       timestamptz not null,
  updated_by       text not null
);
create unique index mcp_server_name_key on mcp_server (name_lower);

-- The tools that the last good discovery found. The hash is of the tool as the server gave it: one that has changed since is
-- not called until it is discovered again.
create table mcp_server_tool (
  server_id  uuid not null references mcp_server on delete cascade,
  position   integer not null,
  name       text collate "C" not null,
  hash       text not null,
  definition json not null,             -- {name, title, description, inputSchema, outputSchema, annotations}
  primary key (server_id, position),
  unique (server_id, name)
);

-- What a step that does several things has done so far: each before anything follows from it. Found again by the try that comes
-- after a crash; gone with the step's result. Sealed: it may hold what expressions put into the step's input.
create table step_checkpoint (
  execution_id uuid not null,
  step_id      uuid not null,
  run          smallint not null,
  key          text not null,
  value        text not null,
  primary key (execution_id, step_id, run, key)
);
