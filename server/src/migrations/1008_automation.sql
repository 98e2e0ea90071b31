-- Plans that change passwords and keys of accounts on servers, scheduled or on demand.
create table change_auth_plan (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null,
  password_strategy text not null default 'custom'
    check (password_strategy in ('custom', 'random_one', 'random_all', 'keep')),
  password_rules jsonb,
  -- Sealed; strategy "custom" only.
  password text,
  is_periodic boolean not null default false,
  crontab text,
  "interval" integer default 24,
  comment text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name || ' ' || username)) stored,
  key_strategy text not null default 'keep'
    check (key_strategy in ('keep', 'custom', 'random_one', 'random_all')),
  -- Sealed; strategy "custom" only.
  private_key text,
  constraint change_auth_plan_interval_check check ("interval" >= 1 and "interval" <= 65535),
  unique (org_id, name)
);
create index change_auth_plan_search on change_auth_plan using gin (search_text gin_trgm_ops);

create table change_auth_plan_assets (
  change_auth_plan_id uuid references change_auth_plan (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  primary key (change_auth_plan_id, asset_id)
);
create index change_auth_plan_assets_asset on change_auth_plan_assets (asset_id);

create table change_auth_plan_nodes (
  change_auth_plan_id uuid references change_auth_plan (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  primary key (change_auth_plan_id, node_id)
);
create index change_auth_plan_nodes_node on change_auth_plan_nodes (node_id);

create table change_auth_execution (
  -- Id of its job.
  id uuid primary key,
  org_id text not null default '',
  -- The result outlives the plan: it may be the only place that has a password.
  plan_id uuid references change_auth_plan (id) on delete set null,
  username text not null,
  password_strategy text not null,
  assets_amount integer not null,
  nodes_amount integer not null,
  -- The common password of strategy "random_one", sealed, while the run is active.
  password text,
  is_finished boolean not null default false,
  date_start timestamptz not null default now(),
  date_finished timestamptz,
  -- A run without a plan that sets a stored version of an account on its server again.
  version_id uuid references asset_user (id) on delete set null,
  key_strategy text not null default 'keep',
  -- The common key of strategy "random_one", sealed, while the run is active.
  private_key text
);
create index change_auth_execution_list on change_auth_execution (org_id, date_start desc, id);
create index change_auth_execution_plan on change_auth_execution (plan_id, date_start desc);
create index change_auth_execution_finished on change_auth_execution (date_finished) where is_finished;
create index change_auth_execution_version on change_auth_execution (version_id)
  where (version_id is not null);

create table change_auth_subtask (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  plan_execution_id uuid not null references change_auth_execution (id) on delete cascade,
  asset_id uuid references asset (id) on delete set null,
  hostname text not null,
  ip text not null,
  username text not null,
  step text not null default 'ready'
    check (step in ('ready', 'preflight', 'change', 'verify', 'keep', 'finished')),
  is_success boolean,
  -- The password in force is unknown.
  needs_attention boolean not null default false,
  reason jsonb,
  -- Job that works on the subtask.
  job_id uuid,
  -- New password, sealed, from before the change of the server until the password in force is
  -- known.
  pending text,
  date_start timestamptz,
  date_finished timestamptz,
  search_text text generated always as (lower(hostname || ' ' || ip)) stored,
  -- Kind of the new secret.
  pending_kind text not null default 'password' check (pending_kind in ('password', 'key')),
  unique (plan_execution_id, asset_id)
);
create index change_auth_subtask_list on change_auth_subtask (plan_execution_id, hostname, id);
create index change_auth_subtask_search on change_auth_subtask using gin (search_text gin_trgm_ops);
-- One change at a time per account: the next waits for the result of the last.
create unique index change_auth_subtask_pending on change_auth_subtask (asset_id, username)
  where (pending is not null);
-- For deleted assets, and for retention of runs.
create index change_auth_subtask_asset on change_auth_subtask (asset_id);

-- Accounts that gather tasks found on servers.
create table gathered_user (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null,
  date_last_login timestamptz,
  ip_last_login text,
  -- False if the last run did not find the account.
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
  "interval" integer default 24,
  comment text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  constraint gather_user_task_interval_check check ("interval" >= 1 and "interval" <= 65535),
  unique (org_id, name)
);
create index gather_user_task_search on gather_user_task using gin (search_text gin_trgm_ops);

create table gather_user_task_nodes (
  gather_user_task_id uuid references gather_user_task (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  primary key (gather_user_task_id, node_id)
);
create index gather_user_task_nodes_node on gather_user_task_nodes (node_id);

create table gather_user_execution (
  -- Id of its job.
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
  -- Reason of a failure, in both languages.
  reason jsonb,
  milliseconds integer not null default 0,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(hostname)) stored
);
create index gather_user_result_execution on gather_user_result (execution_id, is_success, hostname);
create index gather_user_result_search on gather_user_result using gin (search_text gin_trgm_ops);

-- Batch commands: one row per run, with its hosts. The id is that of its job.
create table command_execution (
  id uuid primary key,
  org_id text not null default '',
  user_id uuid references account (id) on delete set null,
  user_display text not null,
  remote_addr text not null default '',
  -- No reference: the row outlives the system user.
  run_as_id uuid not null,
  run_as_display text not null,
  command text not null,
  is_canary boolean not null default false,
  failure_limit integer not null default 100,
  hosts_amount integer not null,
  done_amount integer not null default 0,
  failed_amount integer not null default 0,
  -- A run starts once, whatever happens to its job.
  is_begun boolean not null default false,
  is_finished boolean not null default false,
  is_success boolean not null default false,
  -- Reason why nothing ran, or why it stopped: error code with parameters.
  problem jsonb,
  date_created timestamptz not null default now(),
  date_start timestamptz not null default now(),
  date_finished timestamptz,
  search_text text
    generated always as (lower(command || E'\n' || user_display || E'\n' || run_as_display)) stored
);
create index command_execution_by_user on command_execution (user_id, date_created desc, id);
create index command_execution_by_organization on command_execution (org_id, date_start desc, id);
create index command_execution_unfinished on command_execution (date_created)
  where (not is_finished);
create index command_execution_search on command_execution using gin (search_text gin_trgm_ops);

-- Output of one host, updated while the command runs.
create table command_execution_host (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  commandexecution_id uuid not null references command_execution (id) on delete cascade,
  "position" integer not null,
  asset_id uuid not null,
  hostname text not null,
  ip text not null,
  asset_display text not null,
  state text not null default 'waiting'
    check (state in ('waiting', 'running', 'succeeded', 'failed', 'left_out')),
  rc integer,
  problem jsonb,
  stdout text not null default '',
  stderr text not null default '',
  is_cut boolean not null default false,
  milliseconds integer not null default 0,
  date_finished timestamptz,
  search_text text generated always as (lower(asset_display)) stored,
  constraint command_execution_host_commandexecution_id_position_key unique (commandexecution_id, "position"),
  unique (commandexecution_id, asset_id)
);
create index command_execution_host_by_organization on command_execution_host (org_id, "position", id);
create index command_execution_host_search on command_execution_host
  using gin (search_text gin_trgm_ops);
create index command_execution_host_by_asset on command_execution_host (asset_id);

-- Last result per account and asset. `waiting`: a push is pending.
create table system_user_push (
  id uuid primary key default gen_random_uuid(),
  org_id text not null,
  system_user_id uuid not null references system_account (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null,
  state text not null default 'waiting' check (state in ('waiting', 'done', 'failed', 'skipped')),
  -- In both languages.
  reason jsonb,
  -- Output of the server's programs.
  detail text not null default '',
  changed text[] not null default '{}'::text[],
  date_pushed timestamptz,
  search_text text generated always as (lower(username)) stored,
  unique (system_user_id, asset_id, username)
);
create index system_user_push_asset on system_user_push (asset_id);
create index system_user_push_state on system_user_push (system_user_id, state, asset_id);
create index system_user_push_search on system_user_push using gin (search_text gin_trgm_ops);
create index system_user_push_failed on system_user_push (system_user_id) where (state = 'failed');

-- Requested pushes: for an asset, a node with its subtree, one username, or, without any of them,
-- for the whole system user.
create table system_user_push_wanted (
  system_user_id uuid not null references system_account (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  username text,
  -- A job has been requested.
  is_queued boolean not null default false,
  constraint system_user_push_wanted_system_user_id_asset_id_node_id_use_key unique nulls not distinct (system_user_id, asset_id, node_id, username)
);
create index system_user_push_wanted_asset on system_user_push_wanted (asset_id);
create index system_user_push_wanted_node on system_user_push_wanted (node_id);

-- Work on assets by subject: a task, its versions (modules, hosts, account), and its runs with a
-- result per host.
create table ops_task (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  -- In the language of the user who started it first.
  name text not null,
  -- Kind of job and its subject. The key finds the task after a rename of the subject.
  job text not null,
  key text not null,
  subject text not null default '',
  input jsonb not null,
  is_periodic boolean not null default false,
  crontab text,
  "interval" integer default 24,
  comment text not null default '',
  created_by text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  -- Name in both languages, in lower case.
  words text not null,
  search_text text generated always as (lower(name)) stored,
  constraint ops_task_interval_check check ("interval" >= 1 and "interval" <= 65535),
  unique (org_id, job, key)
);
create index ops_task_list on ops_task (org_id, date_updated desc, id);
create index ops_task_search on ops_task using gin (search_text gin_trgm_ops);
create index ops_task_words on ops_task using gin (words gin_trgm_ops);
-- Tasks take the new name of their renamed subject.
create index ops_task_key on ops_task (key text_pattern_ops);

create table adhoc (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  task_id uuid not null references ops_task (id) on delete cascade,
  tasks jsonb not null,
  -- Digest of all hosts; only the first are kept by id.
  hosts_digest text not null,
  hosts uuid[] not null,
  hosts_amount integer not null,
  run_as_admin boolean not null,
  run_as text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now()
);
create index adhoc_task on adhoc (task_id, date_created desc);
create index adhoc_list on adhoc (org_id, date_created desc, id);

create table adhoc_execution (
  -- Id of its job.
  id uuid primary key,
  org_id text not null default '',
  task_id uuid not null references ops_task (id) on delete cascade,
  adhoc_id uuid references adhoc (id) on delete set null,
  hosts_amount integer not null,
  success_amount integer not null default 0,
  failed_amount integer not null default 0,
  skipped_amount integer not null default 0,
  is_finished boolean not null default false,
  is_success boolean not null default false,
  date_start timestamptz not null default now(),
  date_finished timestamptz
);
create index adhoc_execution_task on adhoc_execution (task_id, date_start desc);
create index adhoc_execution_adhoc on adhoc_execution (adhoc_id, date_start desc);
create index adhoc_execution_list on adhoc_execution (org_id, date_start desc, id);
create index adhoc_execution_unfinished on adhoc_execution (date_start) where (not is_finished);

create table adhoc_execution_host (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  execution_id uuid not null references adhoc_execution (id) on delete cascade,
  asset_id uuid references asset (id) on delete set null,
  hostname text not null,
  username text not null default '',
  state text not null check (state in ('done', 'failed', 'skipped')),
  -- Reason in both languages, and output of the server's programs.
  reason jsonb,
  detail text not null default '',
  milliseconds integer not null default 0,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(hostname)) stored
);
create index adhoc_execution_host_execution on adhoc_execution_host (execution_id, state, hostname, id);
create index adhoc_execution_host_asset on adhoc_execution_host (asset_id);
create index adhoc_execution_host_search on adhoc_execution_host
  using gin (search_text gin_trgm_ops);

-- Notifies the server of new rows, which come in bursts; it waits a moment.
create function push_wanted() returns trigger language plpgsql as $$
begin
  perform pg_notify('system_user_push', '');
  return null;
end $$;
create trigger push_wanted after insert on system_user_push_wanted for each statement
  execute function push_wanted();

create function ops_task_call(task uuid, called text) returns void language sql as $$
  update ops_task set
    name = left(name, length(name) - length(subject)) || called,
    words = replace(words, lower(': ' || subject), lower(': ' || called)),
    subject = called
  where id = task and subject <> called and subject <> '' and right(name, length(subject)) = subject
$$;
