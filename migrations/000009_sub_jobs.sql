-- Executions that a step of another started.
alter table execution
  add column parent_id uuid,
  add column depth     smallint not null default 0;
create index execution_parent on execution (parent_id) where parent_id is not null;
