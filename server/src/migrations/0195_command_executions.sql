-- Batch commands: one row for each run, with its hosts. The id is that of the job that runs it.
create table command_execution (
  id uuid primary key,
  org_id text not null default '',
  user_id uuid references account on delete set null,
  user_display text not null,
  remote_addr text not null default '',
  -- No reference: the row stays when the system user goes.
  run_as_id uuid not null,
  run_as_display text not null,
  command text not null,
  is_canary boolean not null default false,
  failure_limit integer not null default 100,
  hosts_amount integer not null,
  done_amount integer not null default 0,
  failed_amount integer not null default 0,
  -- A run begins once, whatever becomes of its job.
  is_begun boolean not null default false,
  is_finished boolean not null default false,
  is_success boolean not null default false,
  -- Why nothing ran, or why it stopped: the code of an error with its parameters.
  problem jsonb,
  date_created timestamptz not null default now(),
  date_start timestamptz not null default now(),
  date_finished timestamptz,
  search_text text generated always as (lower(command || E'\n' || user_display || E'\n' || run_as_display)) stored
);
create index command_execution_by_user on command_execution (user_id, date_created desc, id);
create index command_execution_by_organization on command_execution (org_id, date_start desc, id);
create index command_execution_unfinished on command_execution (date_created) where not is_finished;
create index command_execution_search on command_execution using gin (search_text gin_trgm_ops);

create table command_execution_host (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  commandexecution_id uuid not null references command_execution on delete cascade,
  position integer not null,
  asset_id uuid not null,
  hostname text not null,
  ip text not null,
  asset_display text not null,
  state text not null default 'waiting' check (state in ('waiting', 'succeeded', 'failed', 'left_out')),
  rc integer,
  problem jsonb,
  stdout text not null default '',
  stderr text not null default '',
  is_cut boolean not null default false,
  milliseconds integer not null default 0,
  date_finished timestamptz,
  search_text text generated always as (lower(asset_display)) stored,
  unique (commandexecution_id, position),
  unique (commandexecution_id, asset_id)
);
create index command_execution_host_by_organization on command_execution_host (org_id, position, id);
create index command_execution_host_search on command_execution_host using gin (search_text gin_trgm_ops);
create index command_execution_host_by_asset on command_execution_host (asset_id);
