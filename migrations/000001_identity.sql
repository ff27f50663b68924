-- Who may do what. A principal holds authorities; its tokens prove who is calling.
create table principal (
  id          uuid primary key,
  name        text not null unique,
  kind        text not null check (kind in ('user', 'service')),
  authorities text[] not null,
  job_limits  jsonb,                          -- {ids, collections, tags}; null: every job
  created_at  timestamptz not null default now()
);

create table api_token (
  id           uuid primary key,
  principal_id uuid not null references principal (id) on delete cascade,
  name         text not null,
  prefix       text not null,                 -- shown to people; too short to help a guesser
  hash         bytea not null unique,         -- SHA-256 of the whole token; the token itself is nowhere
  created_at   timestamptz not null default now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
create index api_token_principal on api_token (principal_id);
