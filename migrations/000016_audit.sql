-- Who did what to which record, when, from where; never a value. Nothing changes or removes a row.
create table audit_entry (
  seq            bigint primary key,
  id             uuid not null unique,
  at             timestamptz not null,
  principal_id   text,
  principal_name text not null,
  token_id       text,
  action         text not null,
  target_type    text not null,
  target_id      text,
  target_name    text,
  changed        text[] not null,
  outcome        text not null,
  ip             text,
  client         text,
  request_id     text,
  -- HMAC of the hash before and of this row, with a key that is not in the database.
  hash           bytea not null
);
create index audit_entry_target on audit_entry (target_id, seq);
create index audit_entry_principal on audit_entry (principal_id, seq);

-- The last link of the chain. Writers, of any process, hold it in turn.
create table audit_head (
  id   boolean primary key default true check (id),
  seq  bigint not null default 0,
  hash bytea not null default '\x'
);
insert into audit_head default values;

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'The audit record is append-only: nothing is changed in it or removed from it.'
    using errcode = 'restrict_violation';
end
$$;
create trigger audit_entry_kept before update or delete or truncate on audit_entry
  for each statement execute function audit_is_append_only();
create trigger audit_head_kept before delete or truncate on audit_head
  for each statement execute function audit_is_append_only();

create function audit_head_goes_on() returns trigger language plpgsql as $$
begin
  if new.seq <= old.seq then
    raise exception 'The audit record is append-only: its head only goes on.' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;
create trigger audit_head_goes_on before update on audit_head for each row execute function audit_head_goes_on();
