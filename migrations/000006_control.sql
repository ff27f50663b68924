-- Holding, stopping and winding back: what people (and timers) do to an execution, and the attempts that a restart makes.
alter table execution
  add column paused_ms      bigint not null default 0,      -- of the present run, pauses that are over
  add column from_position  smallint not null default 0,    -- the restart point of the present run
  add column run_started_at timestamptz,                    -- null: started_at
  add column restarts       smallint not null default 0;

create table execution_action (
  execution_id uuid not null,
  id           uuid not null,
  run          smallint not null,
  action       text not null,
  actor        text not null,
  reason       text,
  at           timestamptz not null,
  from_status  text not null,
  to_status    text not null,
  primary key (execution_id, id)
) partition by range (execution_id);

-- Earlier attempts, kept when a restart begins the next.
create table execution_run (
  execution_id  uuid not null,
  run           smallint not null,
  workflow_id   uuid not null,
  job_version   integer not null,
  from_position smallint not null,
  status        text not null,
  started_at    timestamptz not null,
  ended_at      timestamptz not null,
  paused_ms     bigint not null,
  error         json,
  primary key (execution_id, run)
) partition by range (execution_id);

alter table live_execution
  add column held     text check (held in ('pause', 'decision')),   -- nothing starts until it is lifted
  add column held_at  timestamptz,
  add column draining boolean not null default false,               -- held, while the step under way finishes
  add column act_at   timestamptz;                                  -- when a hold ends by itself
create index live_execution_act on live_execution (act_at) where act_at is not null;
