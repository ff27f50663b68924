-- Definitions. `job` and `step` hold the current version, spread out for search; `job_version` holds every version whole.
create extension if not exists pg_trgm;

create table collection (
  id          uuid primary key,
  name        text not null unique,
  description text not null default '',
  category    text not null default '',
  tags        text[] not null default '{}',
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now()
);

create table job (
  id            uuid primary key,
  name          text not null,
  description   text not null default '',
  category      text not null default '',
  tags          text[] not null default '{}',
  collection_id uuid references collection (id),
  version       integer not null check (version >= 1),
  created_at    timestamptz not null,
  created_by    text not null,
  updated_at    timestamptz not null,
  updated_by    text not null,
  deleted_at    timestamptz                   -- executions outlive their job: the row stays for their names and rights
);
create unique index job_name on job (name) where deleted_at is null;
create index job_search on job using gin (name gin_trgm_ops, description gin_trgm_ops) where deleted_at is null;

create table job_version (
  job_id        uuid not null references job (id),
  version       integer not null,
  definition    json not null,                -- json, not jsonb: what a person wrote keeps its order
  created_at    timestamptz not null,
  created_by    text not null,
  restored_from integer,
  primary key (job_id, version)
);

create table step (
  id          uuid primary key,               -- lasts across versions
  job_id      uuid not null references job (id),
  key         text not null,
  position    integer not null,
  name        text not null,
  description text not null default '',
  type        text not null,
  updated_at  timestamptz not null
);
create index step_job on step (job_id);
