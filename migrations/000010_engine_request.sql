-- What processes that stand by hand over to the one that runs the executions. Rows live for seconds: whoever asked deletes
-- its row as it reads the answer. All of it can be asked again without being done twice, so its commits need not wait for the disk.
create table engine_request (
  id          uuid primary key,               -- made by whoever asks
  kind        text not null,
  payload     json not null,
  created_at  timestamptz not null default now(),
  answered_at timestamptz,
  answer      json                            -- {value} or {error}
);
create index engine_request_open on engine_request (id) where answered_at is null;
