-- Certificates: the chain is public and kept as it is; the private key is sealed, in a table of its own as all secrets.
create table certificate (
  id                uuid primary key,
  name              text collate "C" not null constraint certificate_name unique,
  description       text not null,
  chain             text not null,                   -- PEM, the certificate itself first
  details           json not null,                   -- what each certificate of the chain says, in its order
  subject           text not null,                   -- these are of the first
  issuer            text not null,
  serial_number     text not null,
  subject_alt_names text[] not null,
  fingerprint       text not null,                   -- SHA-256, hex
  not_before        timestamptz not null,
  expires_at        timestamptz not null,
  version           integer not null,
  created_at        timestamptz not null,
  created_by        text not null,
  updated_at        timestamptz not null,
  updated_by        text not null
);
create index certificate_expiry on certificate (expires_at);

create table certificate_secret (
  certificate_id uuid primary key references certificate (id) on delete cascade,
  sealed         text not null,                      -- the key as PKCS #8 in PEM: ENC(v1.<key id>.…)
  key_id         text collate "C" not null generated always as (split_part(sealed, '.', 2)) stored
);

create table api_template (
  id              uuid primary key,
  name            text collate "C" not null constraint api_template_name unique,
  description     text not null,
  category        text not null,
  connection_type text collate "C",                  -- null: the path is a whole URL
  method          text not null,
  path            text not null,
  definition      json not null,                     -- headers, query, body and parameters, as they were written
  version         integer not null,
  created_at      timestamptz not null,
  created_by      text not null,
  updated_at      timestamptz not null,
  updated_by      text not null
);
