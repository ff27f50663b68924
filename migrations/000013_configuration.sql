-- The configuration service. Secrets are in tables of their own, sealed, a row each: nothing else is ever written to them, and
-- rotation goes through them without a look at the rest.
create table connection (
  id              uuid primary key,
  name            text collate "C" not null,
  connection_type text collate "C" not null,
  category        text collate "C" not null,
  description     text not null,
  variables       json not null,                 -- the plain ones only
  version         integer not null,
  created_at      timestamptz not null,
  created_by      text not null,
  updated_at      timestamptz not null,
  updated_by      text not null,
  constraint connection_identity unique (name, connection_type)
);
create index connection_type on connection (connection_type);
create index connection_category on connection (category);

create table connection_secret (
  connection_id uuid not null references connection (id) on delete cascade,
  field         text collate "C" not null,
  sealed        text not null,                   -- ENC(v1.<key id>.…)
  key_id        text collate "C" not null generated always as (split_part(sealed, '.', 2)) stored,
  primary key (connection_id, field)
);

create table global_variable (
  id          uuid primary key,
  name        text collate "C" not null constraint global_variable_name unique,
  description text not null,
  secret      boolean not null,
  value       json,                              -- of a plain one
  version     integer not null,
  created_at  timestamptz not null,
  created_by  text not null,
  updated_at  timestamptz not null,
  updated_by  text not null,
  check (secret = (value is null))
);

create table global_variable_secret (
  variable_id uuid primary key references global_variable (id) on delete cascade,
  sealed      text not null,
  key_id      text collate "C" not null generated always as (split_part(sealed, '.', 2)) stored
);

-- "Which jobs use this connection?" without a look at every step.
create index step_connection on step ((definition ->> 'connectionId')) where definition ->> 'connectionId' is not null;
