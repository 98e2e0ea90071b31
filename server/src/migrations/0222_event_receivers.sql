-- Places outside to which audit entries and session events are sent as they happen.
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
  search_text text generated always as (lower(name || E'\n' || type || E'\n' || host)) stored
);
create unique index event_receiver_name on event_receiver (name);
create index event_receiver_search on event_receiver using gin (search_text gin_trgm_ops);

create table event_receiver_organizations (
  event_receiver_id uuid not null references event_receiver on delete cascade,
  organization_id uuid not null references organization on delete cascade,
  primary key (event_receiver_id, organization_id)
);
create index event_receiver_organizations_organization on event_receiver_organizations (organization_id);

-- What happened and still has to be sent to somebody; nothing is written while there is no active receiver.
create table event (
  -- In the order in which the changes were committed: see write_event().
  id bigint generated always as identity primary key,
  -- By which receivers know an event that they got twice.
  event_id uuid not null default gen_random_uuid(),
  kind text not null,
  org_id text,
  date timestamptz not null,
  data jsonb not null
);
create index event_date on event (date);

-- How far each receiver has come. One server at a time sends to a receiver: the one that holds the lease.
create table event_delivery (
  receiver uuid primary key references event_receiver on delete cascade,
  cursor bigint not null,
  attempts integer not null default 0,
  next_try timestamptz not null default now(),
  date_delivered timestamptz,
  problem text not null default '',
  dropped bigint not null default 0,
  -- Of them, those that the receiver does not know of.
  dropped_untold bigint not null default 0,
  lease uuid,
  -- The server that has it: after a crash it takes its own leases back at once.
  holder text,
  lease_until timestamptz not null default now()
);

-- A receiver begins with what happens after it was switched on.
create function begin_event_delivery() returns trigger language plpgsql as $$
begin
  if new.is_active and (tg_op = 'INSERT' or not old.is_active) then
    insert into event_delivery as d (receiver, cursor) values (new.id, coalesce((select max(id) from event), (select case when is_called then last_value else 0 end from event_id_seq)))
    on conflict (receiver) do update set cursor = excluded.cursor, attempts = 0, next_try = now(), problem = '';
  elsif tg_op = 'UPDATE' then
    -- What was changed may be what was wrong.
    update event_delivery set attempts = 0, next_try = now() where receiver = new.id;
  end if;
  perform pg_notify('events', '');
  return null;
end $$;
create trigger begin_delivery after insert or update on event_receiver for each row execute function begin_event_delivery();

-- Runs at the commit, as the last thing that a transaction does. The lock is held until others see the row, so no row with a lower number appears later, and
-- nobody waits for it while holding something that the holder wants.
create function write_event() returns trigger language plpgsql set timezone = 'UTC' as $$
declare
  kind text := tg_argv[0];
  line jsonb := to_jsonb(new);
  organization text := line ->> 'org_id';
  happened timestamptz := coalesce(line ->> 'datetime', line ->> 'date_end', line ->> 'date_start')::timestamptz;
  columns text[] := string_to_array(tg_argv[1], ' ');
begin
  if not exists (select from public.event_receiver where is_active) then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('sallyport events'));
  insert into public.event (kind, org_id, date, data)
  values (kind, organization, happened, (select jsonb_object_agg(name, line -> name) from unnest(columns) name));
  perform pg_notify('events', '');
  return null;
end $$;

create constraint trigger event after insert on login_log deferrable initially deferred for each row
  execute function write_event('sign_in', 'id sequence username user_id type ip city user_agent mfa reason status');
create constraint trigger event after insert on operate_log deferrable initially deferred for each row
  execute function write_event('operation', 'id sequence user action resource_type resource resource_id remote_addr changes');
create constraint trigger event after insert on password_change_log deferrable initially deferred for each row
  execute function write_event('password_change', 'id sequence user user_id change_by remote_addr');
create constraint trigger event after insert on ftp_log deferrable initially deferred for each row
  execute function write_event('file', 'id sequence user user_id remote_addr asset asset_id system_user system_user_id account session operate filename size sha256 is_success reason');
create constraint trigger event_begin after insert on session deferrable initially deferred for each row
  execute function write_event('session_begin', 'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start');
create constraint trigger event_end after update of is_finished on session deferrable initially deferred for each row
  when (new.is_finished and not old.is_finished)
  execute function write_event('session_end', 'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start date_end end_reason is_success has_replay command_amount commands_denied risk_level');
