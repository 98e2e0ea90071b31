-- Work on assets by what it is about: a task, its versions (which modules, hosts and account), and their runs with what became of each host.
create table ops_task (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  -- In the language of the person who started it first.
  name text not null,
  -- The kind of job, and what it is about: the key finds the task again when the subject has got another name.
  job text not null,
  key text not null,
  subject text not null default '',
  input jsonb not null,
  is_periodic boolean not null default false,
  crontab text,
  interval integer default 24 check (interval between 1 and 65535),
  comment text not null default '',
  created_by text not null default '',
  date_last_run timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  -- The name in both languages, in lower case.
  words text not null,
  search_text text generated always as (lower(name)) stored,
  unique (org_id, job, key)
);
create index ops_task_list on ops_task (org_id, date_updated desc, id);
create index ops_task_search on ops_task using gin (search_text gin_trgm_ops);
create index ops_task_words on ops_task using gin (words gin_trgm_ops);
create trigger ops_task_schedule after insert or delete or update of is_periodic, crontab, interval, subject on ops_task
  for each statement execute function row_schedule_changed('run-task');

create table adhoc (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  task_id uuid not null references ops_task (id) on delete cascade,
  tasks jsonb not null,
  -- Of all hosts; only the first are kept by id.
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
  -- That of its job.
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
create index adhoc_execution_unfinished on adhoc_execution (date_start) where not is_finished;

create table adhoc_execution_host (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  execution_id uuid not null references adhoc_execution (id) on delete cascade,
  asset_id uuid references asset (id) on delete set null,
  hostname text not null,
  username text not null default '',
  state text not null check (state in ('done', 'failed', 'skipped')),
  -- Why, in both languages; and what the programs of the server said.
  reason jsonb,
  detail text not null default '',
  milliseconds integer not null default 0,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(hostname)) stored
);
create index adhoc_execution_host_execution on adhoc_execution_host (execution_id, state, hostname, id);
create index adhoc_execution_host_asset on adhoc_execution_host (asset_id);
create index adhoc_execution_host_search on adhoc_execution_host using gin (search_text gin_trgm_ops);
