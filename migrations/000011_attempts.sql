-- What an attempt ran with: a restart may change the version (kept since 000004) and the parameters.
alter table execution_run add column parameters json;   -- null: those of the execution

-- Who made a link, to look again at whether they may decide when it is used. Names can be given to others.
alter table approval_link add column made_by_id uuid;

-- A restart takes an ended execution out of its job's figures. Where that was the shortest or the longest, both are counted
-- anew by the next summary: `extremes_lost` counts such restarts (in the row of lane -1), `extremes_found` those made good.
alter table job_counter
  add column extremes_lost  integer not null default 0,
  add column extremes_found integer not null default 0;
