-- The accounts that servers have, as gather tasks found them.
create table gathered_user (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null,
  date_last_login timestamptz,
  ip_last_login text,
  -- False when the last run did not find it any more.
  present boolean not null default true,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(username)) stored,
  unique (asset_id, username)
);
create index gathered_user_list on gathered_user (org_id, username, id);
create index gathered_user_search on gathered_user using gin (search_text gin_trgm_ops);

create table gather_user_task (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_periodic boolean not null default false,
  crontab text,
  interval integer default 24 check (interval between 1 and 65535),
  comment text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index gather_user_task_search on gather_user_task using gin (search_text gin_trgm_ops);
create trigger gather_user_task_schedule after insert or delete or update of is_periodic, crontab, interval, name on gather_user_task
  for each statement execute function row_schedule_changed('gather-users');

create table gather_user_task_nodes (
  gather_user_task_id uuid not null references gather_user_task (id) on delete cascade,
  node_id uuid not null references node (id) on delete cascade,
  primary key (gather_user_task_id, node_id)
);
create index gather_user_task_nodes_node on gather_user_task_nodes (node_id);

create table gather_user_execution (
  -- That of its job.
  id uuid primary key,
  org_id text not null default '',
  task_id uuid not null references gather_user_task (id) on delete cascade,
  total integer not null default 0,
  succeed integer not null default 0,
  failed integer not null default 0,
  is_finished boolean not null default false,
  date_start timestamptz not null default now(),
  date_finished timestamptz
);
create index gather_user_execution_list on gather_user_execution (org_id, date_start desc, id);
create index gather_user_execution_task on gather_user_execution (task_id, date_start desc);

create table gather_user_result (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  execution_id uuid not null references gather_user_execution (id) on delete cascade,
  asset_id uuid references asset (id) on delete set null,
  hostname text not null,
  is_success boolean not null,
  users integer not null default 0,
  -- Why it failed, in both languages.
  reason jsonb,
  milliseconds integer not null default 0,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(hostname)) stored
);
create index gather_user_result_execution on gather_user_result (execution_id, is_success, hostname);
create index gather_user_result_search on gather_user_result using gin (search_text gin_trgm_ops);
