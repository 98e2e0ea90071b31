-- Plans that change the passwords of accounts on servers, by themselves or when they are started.
create table change_auth_plan (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null,
  password_strategy text not null default 'custom' check (password_strategy in ('custom', 'random_one', 'random_all')),
  password_rules jsonb,
  -- Sealed; of the strategy "custom" only.
  password text,
  is_periodic boolean not null default false,
  crontab text,
  interval integer default 24 check (interval between 1 and 65535),
  comment text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name || ' ' || username)) stored,
  unique (org_id, name)
);
create index change_auth_plan_search on change_auth_plan using gin (search_text gin_trgm_ops);
create trigger change_auth_plan_schedule after insert or delete or update of is_periodic, crontab, interval, name on change_auth_plan
  for each statement execute function row_schedule_changed('change-auth');

create table change_auth_plan_assets (
  change_auth_plan_id uuid not null references change_auth_plan (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  primary key (change_auth_plan_id, asset_id)
);
create index change_auth_plan_assets_asset on change_auth_plan_assets (asset_id);
create table change_auth_plan_nodes (
  change_auth_plan_id uuid not null references change_auth_plan (id) on delete cascade,
  node_id uuid not null references node (id) on delete cascade,
  primary key (change_auth_plan_id, node_id)
);
create index change_auth_plan_nodes_node on change_auth_plan_nodes (node_id);

create table change_auth_execution (
  -- That of its job.
  id uuid primary key,
  org_id text not null default '',
  -- What is known of a change outlives its plan: it may be the only place that knows a password.
  plan_id uuid references change_auth_plan (id) on delete set null,
  username text not null,
  password_strategy text not null,
  assets_amount integer not null,
  nodes_amount integer not null,
  -- The one password of the strategy "random_one", sealed, while the run is not over.
  password text,
  is_finished boolean not null default false,
  date_start timestamptz not null default now(),
  date_finished timestamptz
);
create index change_auth_execution_list on change_auth_execution (org_id, date_start desc, id);
create index change_auth_execution_plan on change_auth_execution (plan_id, date_start desc);

create table change_auth_subtask (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  plan_execution_id uuid not null references change_auth_execution (id) on delete cascade,
  asset_id uuid references asset (id) on delete set null,
  hostname text not null,
  ip text not null,
  username text not null,
  step text not null default 'ready' check (step in ('ready', 'preflight', 'change', 'verify', 'keep', 'finished')),
  is_success boolean,
  -- Nobody knows which password is in force.
  needs_attention boolean not null default false,
  reason jsonb,
  -- The job that works on it.
  job_id uuid,
  -- The new password, sealed, from before the server is changed until it is known which one is in force.
  pending text,
  date_start timestamptz,
  date_finished timestamptz,
  search_text text generated always as (lower(hostname || ' ' || ip)) stored,
  unique (plan_execution_id, asset_id)
);
create index change_auth_subtask_list on change_auth_subtask (plan_execution_id, hostname, id);
create index change_auth_subtask_search on change_auth_subtask using gin (search_text gin_trgm_ops);
-- One change at a time for each account: the next one waits until it is known how the last one ended.
create unique index change_auth_subtask_pending on change_auth_subtask (asset_id, username) where pending is not null;
