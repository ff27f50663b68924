-- Everything that can be found, a row each, written in the transaction that writes the thing itself. One table rather than
-- a union over three: one index a field, one sort, one count, and rights that need no join (a step has those of its job).
-- Text is kept once as it was written, in order of code points, and once folded, which `contains` and searchText look at:
-- to fold a million rows at every question costs half a second.
create table search_item (
  id                uuid primary key,
  type              text not null check (type in ('job', 'step', 'collection')),
  name              text collate "C" not null,
  description       text collate "C" not null,
  category          text collate "C" not null,
  tags              text[] not null,
  updated_at        timestamptz not null,
  collection_id     uuid,                      -- where a job is, and so its steps; of a collection its own id
  job_id            uuid,                      -- of a step the job it is in; of a job its own id
  job_name          text collate "C",          -- of steps only, and so are the rest
  key               text collate "C",
  step_type         text collate "C",
  position          integer,
  name_lower        text collate "C" not null generated always as (lower(name collate "default")) stored,
  description_lower text collate "C" not null generated always as (lower(description collate "default")) stored
);

insert into search_item (id, type, name, description, category, tags, updated_at, collection_id)
select id, 'collection', name, description, category, tags, updated_at, id from collection;
insert into search_item (id, type, name, description, category, tags, updated_at, collection_id, job_id)
select id, 'job', name, description, category, tags, updated_at, collection_id, id from job where deleted_at is null;
insert into search_item (id, type, name, description, category, tags, updated_at, collection_id, job_id, job_name, key,
  step_type, position)
select step.id, 'step', step.name, step.description, job.category, job.tags, step.updated_at, job.collection_id, job.id,
  job.name, step.key, step.type, step.position
from step join job on job.id = step.job_id;

-- Each sorts, and answers its filters, without a look at the rest of the table.
create index search_item_type on search_item (type, id);
create index search_item_name on search_item (name, id);
create index search_item_category on search_item (category, id);
create index search_item_updated on search_item (updated_at, id);
create index search_item_job on search_item (job_id);
create index search_item_collection on search_item (collection_id);
create index search_item_job_name on search_item (job_name) where type = 'step';
create index search_item_key on search_item (key) where type = 'step';
create index search_item_step_type on search_item (step_type) where type = 'step';
create index search_item_tags on search_item using gin (tags) with (fastupdate = off);
-- No pending list: each search would read it through, and the save that fills it would wait for all the saves before.
create index search_item_name_lower on search_item using gin (name_lower gin_trgm_ops) with (fastupdate = off);
create index search_item_description_lower on search_item using gin (description_lower gin_trgm_ops) with (fastupdate = off);
-- A part of a text that few rows hold must be known to be rare: the plan hangs on it.
alter table search_item alter name_lower set statistics 1000, alter description_lower set statistics 1000;

-- The words of all names and descriptions, for "did you mean". Words that are no longer used stay: a suggestion is tried
-- before it is made. Only letters count, so that numbers in names don't make it grow.
create table search_word (word text collate "C" primary key);
create index search_word_similar on search_word using gin (word gin_trgm_ops) with (fastupdate = off);
insert into search_word
select distinct word[1] from search_item, regexp_matches(name_lower || ' ' || description_lower, '[[:alpha:]]{3,40}', 'g') word;

-- A step's place and texts are in search_item now; here is the rest of it, so that a page of steps reads only these.
alter table step add column definition json;
update step set definition = found.definition
from job, job_version, json_array_elements(job_version.definition -> 'steps') found (definition)
where job.id = step.job_id and job_version.job_id = job.id and job_version.version = job.version
  and found.definition ->> 'id' = step.id::text;
alter table step alter definition set not null, drop column key, drop column position, drop column name,
  drop column description, drop column type, drop column updated_at;

create index job_collection on job (collection_id);
alter table collection add column created_by text not null default '', add column updated_by text not null default '';
alter table collection alter created_by drop default, alter updated_by drop default;
