-- Runs. Written by the engine's journal, many records a commit (src/engine/journal/). Ids are UUIDv7, so that a range of
-- ids is a range of time: the large tables are partitioned by it, and retention drops partitions.
-- Payloads are json, not jsonb: kept byte for byte, and cheaper to write.

create table execution (
  id             uuid not null,
  job_id         uuid not null,
  job_version    integer not null,
  job_name       text not null,
  workflow_id    uuid not null,
  run            smallint not null default 1,  -- attempt group: a restart begins the next
  status         text not null,
  triggered_by   text not null,
  trigger_source text,
  started_by     text not null,
  parameters     json not null,
  started_at     timestamptz not null,
  ended_at       timestamptz,
  error          json,                         -- {code, message, stepId?, stepKey?}
  primary key (id),
  constraint execution_status check (status in ('RUNNING', 'PAUSED', 'STOPPED', 'COMPLETED', 'FAILED')),
  constraint execution_ended check ((ended_at is null) = (status in ('RUNNING', 'PAUSED')))
) partition by range (id);
-- The only other index: no index may hold a column that changes, so that the update at the end stays in its page (HOT).
create index execution_job on execution (job_id, id desc);

create table step_execution (
  execution_id uuid not null,
  run          smallint not null,
  position     smallint not null,
  id           uuid not null,
  step_id      uuid not null,
  step_key     text not null,
  status       text not null,
  attempts     smallint not null,
  started_at   timestamptz not null,
  ended_at     timestamptz not null,
  output       json,
  error        json,
  primary key (execution_id, run, position),   -- a result is recorded once: this makes it so
  constraint step_execution_status check (status in ('COMPLETED', 'FAILED', 'SKIPPED', 'STOPPED'))
) partition by range (execution_id);

create table step_log (
  execution_id uuid not null,
  run          smallint not null,
  position     smallint not null,
  attempt      smallint not null,
  seq          integer not null,
  at           timestamptz not null,
  level        text not null,
  message      text not null
) partition by range (execution_id);
create index step_log_execution on step_log (execution_id, run, position, attempt, seq);

-- What is not over: one small row an unfinished execution. Recovery and timers read this and never the history.
create table live_execution (
  execution_id uuid primary key,
  -- The step under way, where its start is not simply the end of the one before (a retry, a timer, a recovery).
  position     smallint,
  attempts     smallint not null default 0,    -- tries of that step that are over
  step_started timestamptz,
  due_at       timestamptz,                    -- parked until then; null: it runs
  parked       json,                           -- {kind: 'retry', error} or {kind: 'timer', output}
  deadline     timestamptz                     -- of the whole execution
);
create index live_execution_due on live_execution (due_at) where due_at is not null;
alter table live_execution set (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Figures of the summary, kept in the same commit as what they count. A row per job and journal lane: two batches in
-- flight never wait for each other's row.
create table job_counter (
  job_id      uuid not null,
  lane        smallint not null,
  started     bigint not null default 0,
  completed   bigint not null default 0,
  failed      bigint not null default 0,
  stopped     bigint not null default 0,
  duration_ms numeric not null default 0,      -- sum over the ended ones
  min_ms      bigint,
  max_ms      bigint,
  primary key (job_id, lane)
);
alter table job_counter set (fillfactor = 50);

create table idempotency_key (
  principal_id uuid not null,
  key          text not null,
  body_hash    bytea not null,
  execution_id uuid not null,
  created_at   timestamptz not null default now(),
  primary key (principal_id, key)
);
create index idempotency_key_created on idempotency_key (created_at);

-- One row a lane of the journal. Every batch writes `batch` in its own commit, which tells after a lost connection whether
-- the commit happened; and only while `owner` is unchanged, which keeps a process that lost the executions from writing.
create table journal_lane (
  lane  smallint primary key,
  owner bigint not null default 0,
  batch bigint not null default 0
);
insert into journal_lane (lane) values (0), (1);
