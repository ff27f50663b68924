-- Links that decide once, for people without an account. Only hashes are kept: who reads the table can't decide.
create table approval_link (
  id           uuid primary key,
  execution_id uuid not null,
  run          smallint not null,               -- the attempt and the step whose decision it is about
  position     smallint not null,
  made_by      text not null,
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null,
  approve_hash bytea not null unique,           -- SHA-256 of the token
  reject_hash  bytea not null unique,
  used_at      timestamptz                      -- by either of the two
);
create index approval_link_expires on approval_link (expires_at);
