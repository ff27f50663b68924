-- Jobs may limit how many of their executions are under way: those beyond wait for a place, highest priority first.
alter table live_execution
  add column job_id   uuid,
  add column waiting  boolean not null default false,
  add column priority smallint not null default 5;
create index live_execution_waiting on live_execution (job_id, priority desc, execution_id) where waiting;
update live_execution l set job_id = e.job_id from execution e where e.id = l.execution_id;
