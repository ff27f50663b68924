-- Keys that seal secrets, each wrapped by the master key, which is never here. One seals (active), the others only open.
-- The signing key is for signatures and chains, and stays when the others rotate.
create table vault_key (
  id           text primary key,
  kind         text not null check (kind in ('data', 'signing')),
  state        text not null check (state in ('pending', 'active', 'retired')),
  wrapped      bytea not null,
  -- The id of the master key that wraps it: a wrong one is told from a damaged keyring.
  master       text not null,
  created_at   timestamptz not null default now(),
  activated_at timestamptz,
  seals        bigint not null default 0
);
create unique index vault_key_one_active on vault_key (kind) where state = 'active';
create unique index vault_key_one_pending on vault_key (kind) where state = 'pending';

-- The version counts changes of the keyring. The canary shows at every start that what is stored is ciphertext.
create table vault_state (
  id      boolean primary key default true check (id),
  version bigint not null default 0,
  canary  text
);
insert into vault_state default values;

-- The processes that use the keyring: a new key seals only when each of them can open what it sealed.
create table vault_process (
  id      uuid primary key,
  version bigint not null,
  masters text[] not null,
  seen_at timestamptz not null default now()
);

-- One row for each change of the active key; the one without an end goes on after a crash, whoever takes it up.
create table vault_rotation (
  id             uuid primary key,
  key_id         text not null references vault_key,
  started_by     text not null,
  started_at     timestamptz not null default now(),
  total          bigint not null default 0,
  unreadable     bigint not null default 0,
  finished_at    timestamptz,
  worker         uuid,
  worker_seen_at timestamptz
);
create unique index vault_rotation_one on vault_rotation ((true)) where finished_at is null;
