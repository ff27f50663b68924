-- What assistants come in by, and what is kept of it.

-- A token is for the API or for MCP, never for both: one that leaks from an assistant's settings opens no more than its scopes.
alter table api_token add column audience text not null default 'api' check (audience in ('api', 'mcp'));
alter table api_token add column scopes text[];
alter table api_token add constraint api_token_scopes check ((scopes is not null) = (audience = 'mcp'));

-- Who the identity provider says somebody is; names of its tokens lead here first, and to `name` only then.
alter table principal add column external_id text unique;

-- Of the current version, so that a search for assistants need not read definitions.
alter table job add column mcp_exposed boolean not null default true;
update job set mcp_exposed = false
from job_version v
where v.job_id = job.id and v.version = job.version and v.definition #>> '{mcp,exposed}' = 'false';

-- The assistant that started it: {id, name, version}; name and version are its own words.
alter table execution add column client json;
