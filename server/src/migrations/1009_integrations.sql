-- Access keys of cloud providers for reading instances.
create table cloud_account (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  provider text not null
    check (provider in ('aliyun', 'qcloud', 'aws_china', 'aws_international', 'huaweicloud')),
  access_key_id text not null,
  -- Sealed.
  access_key_secret text,
  endpoint text not null default '',
  ca_certificate text not null default '',
  validity boolean not null default false,
  -- Reason why the account cannot be used, in both languages.
  problem jsonb,
  date_tested timestamptz,
  comment text not null default '',
  date_created timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index cloud_account_search on cloud_account using gin (search_text gin_trgm_ops);

-- Turn the instances of an account into assets, scheduled or on demand.
create table cloud_sync_task (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  account_id uuid not null references cloud_account (id),
  regions text[] not null,
  hostname_strategy text not null default 'instance_name_partial_ip'
    check (hostname_strategy in ('instance_name_partial_ip', 'instance_name')),
  node_id uuid not null references node (id),
  admin_user_id uuid references admin_user (id),
  is_always_update boolean not null default false,
  is_periodic boolean not null default false,
  crontab text,
  "interval" integer default 24,
  comment text not null default '',
  date_last_sync timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  constraint cloud_sync_task_interval_check check ("interval" >= 1 and "interval" <= 65535),
  unique (org_id, name)
);
create index cloud_sync_task_account on cloud_sync_task (account_id);
create index cloud_sync_task_node on cloud_sync_task (node_id);
create index cloud_sync_task_admin_user on cloud_sync_task (admin_user_id);
create index cloud_sync_task_search on cloud_sync_task using gin (search_text gin_trgm_ops);

create table cloud_sync_execution (
  -- Id of its job.
  id uuid primary key,
  org_id text not null default '',
  task_id uuid not null references cloud_sync_task (id) on delete cascade,
  -- 0: failed, 1: succeeded, 2: running.
  status integer not null default 2 check (status in (0, 1, 2)),
  made integer not null default 0,
  unsync integer not null default 0,
  sync integer not null default 0,
  released integer not null default 0,
  -- Reason of a failure, in both languages.
  reason jsonb,
  date_sync timestamptz not null default now(),
  date_finished timestamptz
);
create index cloud_sync_execution_list on cloud_sync_execution (org_id, date_sync desc, id);
create index cloud_sync_execution_task on cloud_sync_execution (task_id, date_sync desc);

-- Instances that a task found. The id of the provider identifies them.
create table cloud_instance (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  task_id uuid not null references cloud_sync_task (id) on delete cascade,
  -- Account that found it last.
  account_id uuid not null,
  provider text not null,
  instance_id text not null,
  region text not null,
  name text not null,
  ip text not null default '',
  asset_id uuid references asset (id) on delete set null,
  -- 0: no asset, 1: asset created by the last run, 2: has an asset, 3: released by the provider.
  status integer not null default 0 check (status >= 0 and status <= 3),
  -- Reason why it has no asset, in both languages.
  reason jsonb,
  -- Runs that created its asset, saw it last, and found it released.
  made_by uuid,
  seen_by uuid,
  released_by uuid,
  date_sync timestamptz not null default now(),
  search_text text generated always as (lower(instance_id || E'\n' || name || E'\n' || ip)) stored,
  -- A user deleted the asset of an existing instance: runs skip it until a user takes that back.
  is_left_out boolean not null default false,
  unique (task_id, instance_id)
);
create index cloud_instance_known on cloud_instance (org_id, provider, instance_id)
  where (asset_id is not null);
create index cloud_instance_asset on cloud_instance (asset_id);
create index cloud_instance_list on cloud_instance (task_id, name, instance_id);
create index cloud_instance_search on cloud_instance using gin (search_text gin_trgm_ops);
create index cloud_instance_left_out on cloud_instance (org_id, provider, instance_id) where is_left_out;

-- External receivers of audit entries and session events.
create table event_receiver (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null default 'syslog' check (type in ('syslog', 'webhook')),
  is_active boolean not null default true,
  host text not null default '',
  port integer not null default 6514,
  transport text not null default 'tls' check (transport in ('tls', 'tcp', 'udp')),
  url text not null default '',
  -- Sealed.
  secret text,
  ca_certificate text not null default '',
  sends_sign_ins boolean not null default true,
  sends_operations boolean not null default true,
  sends_password_changes boolean not null default true,
  sends_files boolean not null default true,
  sends_sessions boolean not null default true,
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || type || E'\n' || host)) stored,
  -- The default organization has no row that a receiver could reference.
  default_organization boolean not null default false
);
create unique index event_receiver_name on event_receiver (name);
create index event_receiver_search on event_receiver using gin (search_text gin_trgm_ops);

create table event_receiver_organizations (
  event_receiver_id uuid references event_receiver (id) on delete cascade,
  organization_id uuid references organization (id) on delete cascade,
  primary key (event_receiver_id, organization_id)
);
create index event_receiver_organizations_organization on event_receiver_organizations (organization_id);

-- Events that active receivers still have to get. Without an active receiver none are written.
create table event (
  -- In commit order; see write_event().
  id bigint primary key generated always as identity,
  -- Lets receivers recognize an event that they get twice.
  event_id uuid not null default gen_random_uuid(),
  kind text not null,
  org_id text,
  date timestamptz not null,
  data jsonb not null
);
create index event_date on event (date);

-- Position of each receiver. One server at a time sends to it: the holder of the lease.
create table event_delivery (
  receiver uuid primary key references event_receiver (id) on delete cascade,
  cursor bigint not null,
  attempts integer not null default 0,
  next_try timestamptz not null default now(),
  date_delivered timestamptz,
  problem text not null default '',
  dropped bigint not null default 0,
  -- Dropped events that the receiver has not been told of.
  dropped_untold bigint not null default 0,
  lease uuid,
  -- Server with the lease; it takes own leases back at once after a crash.
  holder text,
  lease_until timestamptz not null default now()
);

-- Backups; the newest are kept. The command adds a row when its files are complete.
create table backup (
  id uuid primary key default gen_random_uuid(),
  date_started timestamptz not null,
  date_finished timestamptz not null default now(),
  folder text not null,
  -- Size of all files.
  bytes bigint not null,
  -- Copied recordings: whether, and how many.
  has_recordings boolean not null,
  recordings integer not null,
  -- True if the keys were written to a separate file.
  has_keys boolean not null
);
create index backup_finished on backup (date_finished desc);

-- Notifies the scheduler of changed schedules (platform/jobs). The argument is the kind of job.
create function row_schedule_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('row_schedules', tg_argv[0]);
  return null;
end $$;
create trigger change_auth_plan_schedule after insert or delete or update of is_periodic, crontab, "interval", name on change_auth_plan
  for each statement execute function row_schedule_changed('change-auth');
create trigger cloud_sync_task_schedule after insert or delete or update of is_periodic, crontab, "interval", name on cloud_sync_task
  for each statement execute function row_schedule_changed('sync-instances');
create trigger gather_user_task_schedule after insert or delete or update of is_periodic, crontab, "interval", name on gather_user_task
  for each statement execute function row_schedule_changed('gather-users');
create trigger ops_task_schedule after insert or delete or update of is_periodic, crontab, "interval", subject on ops_task
  for each statement execute function row_schedule_changed('run-task');

-- A receiver starts with the events after its activation.
create function begin_event_delivery() returns trigger language plpgsql as $$
begin
  if new.is_active and (tg_op = 'INSERT' or not old.is_active) then
    insert into event_delivery as d (receiver, cursor) values (new.id, coalesce((select max(id) from event), (select case when is_called then last_value else 0 end from event_id_seq)))
    on conflict (receiver) do update set cursor = excluded.cursor, attempts = 0, next_try = now(), problem = '';
  elsif tg_op = 'UPDATE' then
    -- The change may have repaired the receiver.
    update event_delivery set attempts = 0, next_try = now() where receiver = new.id;
  end if;
  perform pg_notify('events', '');
  return null;
end $$;
create trigger begin_delivery after insert or update on event_receiver for each row
  execute function begin_event_delivery();

create function cloud_instance_lost_asset() returns trigger language plpgsql as $$
begin
  -- The asset of a released instance is deleted with it.
  if new.status <> 3 then
    new.is_left_out := true;
    new.status := 0;
    new.reason := null;
  end if;
  return new;
end $$;
create trigger cloud_instance_lost_asset before update of asset_id on cloud_instance
  for each row when (old.asset_id is not null and new.asset_id is null)
  execute function cloud_instance_lost_asset();
