-- What a file or a dataset holds. It is written beside what is there, and taken over by one update at the end: half of an upload
-- is never seen. What is replaced stays for those who still read it, until its time has come.
create table stored_content (
  id           uuid primary key,
  remove_after timestamptz                           -- null: it is what a file or a dataset holds
);
create index stored_content_removal on stored_content (remove_after) where remove_after is not null;

create table file_chunk (
  content_id uuid not null references stored_content (id) on delete cascade,
  n          integer not null,
  bytes      bytea not null,
  primary key (content_id, n)
);
-- Most files are compressed already.
alter table file_chunk alter bytes set storage external;

create table file (
  id           uuid primary key,
  name         text collate "C" not null constraint file_name unique,
  description  text not null,
  content_type text not null,
  size         bigint not null,
  sha256       text not null,
  content_id   uuid not null references stored_content (id),
  version      integer not null,
  created_at   timestamptz not null,
  created_by   text not null,
  updated_at   timestamptz not null,
  updated_by   text not null
);
create index file_content on file (content_id);

-- Cells are kept as texts and read by the type of their column: what was uploaded comes back to the letter.
create table dataset_row (
  content_id uuid not null references stored_content (id) on delete cascade,
  n          integer not null,                       -- from 1, without gaps
  cells      text[] not null,
  primary key (content_id, n)
);

create table dataset (
  id          uuid primary key,
  name        text collate "C" not null constraint dataset_name unique,
  description text not null,
  columns     json not null,                         -- names and types, in the order of the cells
  row_count   integer not null,
  size        bigint not null,                       -- characters of all cells
  content_id  uuid not null references stored_content (id),
  version     integer not null,
  created_at  timestamptz not null,
  created_by  text not null,
  updated_at  timestamptz not null,
  updated_by  text not null
);
create index dataset_content on dataset (content_id);

-- "Which jobs use this?" of certificates, datasets, files and API templates: all that the input of a step may name one by.
create index step_record on step using gin ((array_remove(array[
  definition #>> '{input,certificate}', definition #>> '{input,trust}', definition #>> '{input,dataset}',
  definition #>> '{input,file}', definition #>> '{input,apiTemplate}'], null)));
