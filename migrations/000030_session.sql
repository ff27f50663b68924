-- Browsers that are signed in. Like an API token, a session is known by its hash alone.
create table session (
  hash         bytea primary key,             -- SHA-256 of the cookie's value
  principal_id uuid not null references principal (id) on delete cascade,
  token_id     uuid references api_token (id) on delete cascade, -- what it was opened with: it ends with that; null: a link
  created_at   timestamptz not null default now(),
  expires_at   timestamptz not null
);
create index session_expires on session (expires_at);

-- Links that sign in once. Using one deletes it.
create table sign_in_code (
  hash         bytea primary key,
  principal_id uuid not null references principal (id) on delete cascade,
  expires_at   timestamptz not null
);
