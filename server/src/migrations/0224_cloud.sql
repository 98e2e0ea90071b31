-- Access keys of cloud providers, with which instances are read.
create table cloud_account (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  provider text not null check (provider in ('aliyun', 'qcloud', 'aws_china', 'aws_international', 'huaweicloud')),
  access_key_id text not null,
  -- Sealed.
  access_key_secret text,
  endpoint text not null default '',
  ca_certificate text not null default '',
  validity boolean not null default false,
  -- Why it cannot be used, in both languages.
  problem jsonb,
  date_tested timestamptz,
  comment text not null default '',
  date_created timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index cloud_account_search on cloud_account using gin (search_text gin_trgm_ops);

-- Make the instances of an account assets, by themselves or when they are started.
create table cloud_sync_task (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  account_id uuid not null references cloud_account (id),
  regions text[] not null,
  hostname_strategy text not null default 'instance_name_partial_ip' check (hostname_strategy in ('instance_name_partial_ip', 'instance_name')),
  node_id uuid not null references node (id),
  admin_user_id uuid references admin_user (id),
  is_always_update boolean not null default false,
  is_periodic boolean not null default false,
  crontab text,
  interval integer default 24 check (interval between 1 and 65535),
  comment text not null default '',
  date_last_sync timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index cloud_sync_task_account on cloud_sync_task (account_id);
create index cloud_sync_task_node on cloud_sync_task (node_id);
create index cloud_sync_task_admin_user on cloud_sync_task (admin_user_id);
create index cloud_sync_task_search on cloud_sync_task using gin (search_text gin_trgm_ops);
create trigger cloud_sync_task_schedule after insert or delete or update of is_periodic, crontab, interval, name on cloud_sync_task
  for each statement execute function row_schedule_changed('sync-instances');

create table cloud_sync_execution (
  -- That of its job.
  id uuid primary key,
  org_id text not null default '',
  task_id uuid not null references cloud_sync_task (id) on delete cascade,
  -- 0: failed, 1: succeeded, 2: runs.
  status integer not null default 2 check (status in (0, 1, 2)),
  made integer not null default 0,
  unsync integer not null default 0,
  sync integer not null default 0,
  released integer not null default 0,
  -- Why it failed, in both languages.
  reason jsonb,
  date_sync timestamptz not null default now(),
  date_finished timestamptz
);
create index cloud_sync_execution_list on cloud_sync_execution (org_id, date_sync desc, id);
create index cloud_sync_execution_task on cloud_sync_execution (task_id, date_sync desc);

-- What a task knows of each instance. The id that the provider gave identifies it.
create table cloud_instance (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  task_id uuid not null references cloud_sync_task (id) on delete cascade,
  -- Where it was found last.
  account_id uuid not null,
  provider text not null,
  instance_id text not null,
  region text not null,
  name text not null,
  ip text not null default '',
  asset_id uuid references asset (id) on delete set null,
  -- 0: no asset, 1: its asset was made by the last run, 2: it has an asset, 3: the provider does not have it any more.
  status integer not null default 0 check (status between 0 and 3),
  -- Why it has no asset, in both languages.
  reason jsonb,
  -- The runs that made its asset, saw it last, and found that it was released.
  made_by uuid,
  seen_by uuid,
  released_by uuid,
  date_sync timestamptz not null default now(),
  search_text text generated always as (lower(instance_id || E'\n' || name || E'\n' || ip)) stored,
  unique (task_id, instance_id)
);
create index cloud_instance_known on cloud_instance (org_id, provider, instance_id) where asset_id is not null;
create index cloud_instance_asset on cloud_instance (asset_id);
create index cloud_instance_list on cloud_instance (task_id, name, instance_id);
create index cloud_instance_search on cloud_instance using gin (search_text gin_trgm_ops);
