create table operate_log (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  "user" text not null,
  action text not null,
  resource_type text not null,
  resource text not null,
  resource_id text not null default '',
  remote_addr text not null,
  changes jsonb,
  datetime timestamptz not null default now(),
  search_text text
    generated always as (lower("user" || E'\n' || resource || E'\n' || remote_addr)) stored,
  sequence bigint not null,
  digest bytea not null
);
create index operate_log_datetime on operate_log (org_id, datetime desc);
create index operate_log_object on operate_log (resource_id, datetime desc);
create index operate_log_search on operate_log using gin (search_text gin_trgm_ops);
create unique index operate_log_sequence on operate_log (sequence);

create table login_log (
  id uuid primary key default gen_random_uuid(),
  username text not null,
  user_id uuid,
  type text not null,
  ip text not null,
  city text,
  user_agent text,
  mfa integer not null default 2,
  reason text not null default '',
  status boolean not null,
  datetime timestamptz not null default now(),
  search_text text
    generated always as (lower(username || E'\n' || ip || E'\n' || coalesce(city, ''))) stored,
  sequence bigint not null,
  digest bytea not null
);
create index login_log_datetime on login_log (datetime desc, username);
create index login_log_search on login_log using gin (search_text gin_trgm_ops);
create unique index login_log_sequence on login_log (sequence);

-- The logs are append-only. Each row carries a digest of itself and the row before it, so that
-- changed, removed and inserted rows break the chain.
create table password_change_log (
  id uuid primary key default gen_random_uuid(),
  "user" text not null,
  user_id uuid,
  change_by text not null,
  remote_addr text not null,
  datetime timestamptz not null default now(),
  search_text text
    generated always as (lower("user" || E'\n' || change_by || E'\n' || remote_addr)) stored,
  sequence bigint not null,
  digest bytea not null
);
create index password_change_log_datetime on password_change_log (datetime desc);
create index password_change_log_search on password_change_log using gin (search_text gin_trgm_ops);
create unique index password_change_log_sequence on password_change_log (sequence);

-- File operations on assets: one entry per upload, download and change, chained like the other
-- logs.
create table ftp_log (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  "user" text not null,
  user_id uuid,
  remote_addr text not null,
  asset text not null,
  asset_id uuid,
  "system_user" text not null,
  system_user_id uuid,
  account text not null default '',
  session uuid,
  operate text not null,
  filename text not null,
  size bigint,
  sha256 text,
  is_success boolean not null,
  reason text not null default '',
  date_start timestamptz not null default now(),
  -- Date for retention; clients know it as `date_start`.
  datetime timestamptz not null default now(),
  search_text text
    generated always as (lower("user" || E'\n' || asset || E'\n' || "system_user" || E'\n' || remote_addr || E'\n' || filename)) stored,
  sequence bigint not null,
  digest bytea not null
);
create index ftp_log_date on ftp_log (org_id, date_start desc);
create index ftp_log_search on ftp_log using gin (search_text gin_trgm_ops);
create unique index ftp_log_sequence on ftp_log (sequence);
-- For the timeline of a session.
create index ftp_log_session on ftp_log (session, date_start) where (session is not null);

-- Head of each chain: its last row, and the last row that retention removed.
create table audit_chain (
  log text primary key,
  sequence bigint not null default 0,
  digest bytea not null default '\x'::bytea,
  removed_sequence bigint not null default 0,
  removed_digest bytea not null default '\x'::bytea
);

-- Seals of the chains. A writer of the database could compute a chain again; a seal records its
-- position under a key outside of the database. One seal is kept per hundred rows, the newest also
-- on the server.
create table audit_seal (
  log text,
  block bigint,
  sequence bigint not null,
  digest bytea not null,
  removed_sequence bigint not null,
  removed_digest bytea not null,
  seal text not null,
  date_sealed timestamptz not null default now(),
  primary key (log, block)
);

-- Result of the last verification, sealed: rows without a valid seal are ignored.
create table audit_verification (
  only_row boolean primary key default true check (only_row),
  date_verified timestamptz not null,
  intact boolean not null,
  verified_by text not null default '',
  seal text not null
);

-- Appends to a chain in one statement: the locked row is the changed row.
create function audit_append() returns trigger language plpgsql set "TimeZone" to 'UTC' as $$
declare
  place text := 'sallyport.chain_' || tg_table_name;
  state text := current_setting(place);
begin
  new.sequence = split_part(state, ':', 1)::bigint + 1;
  new.digest = sha256(decode(split_part(state, ':', 2), 'hex') || convert_to(audit_text(to_jsonb(new)), 'UTF8'));
  perform set_config(place, new.sequence || ':' || encode(new.digest, 'hex'), true);
  return new;
end $$;
create trigger append before insert on ftp_log for each row execute function audit_append();
create trigger append before insert on login_log for each row execute function audit_append();
create trigger append before insert on operate_log for each row execute function audit_append();
create trigger append before insert on password_change_log for each row
  execute function audit_append();
create trigger append before insert on session_digest for each row execute function audit_append();

create function audit_refuse() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('sallyport.retention', true) = 'on' then
    return old;
  end if;
  raise exception 'the audit logs can only grow' using errcode = 'insufficient_privilege';
end $$;
create trigger refuse before delete or update on ftp_log for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on ftp_log for each statement
  execute function audit_refuse();
create trigger refuse before delete or update on login_log for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on login_log for each statement
  execute function audit_refuse();
create trigger refuse before delete or update on operate_log for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on operate_log for each statement
  execute function audit_refuse();
create trigger refuse before delete or update on password_change_log for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on password_change_log for each statement
  execute function audit_refuse();
create trigger refuse before delete or update on session_digest for each row
  execute function audit_refuse();
create trigger refuse_all before truncate on session_digest for each statement
  execute function audit_refuse();

-- Retention holds the right to delete only inside its own transaction.
create function audit_forget(name text, before timestamp with time zone)
  returns bigint language plpgsql as $$
declare
  last_sequence bigint;
  last_digest bytea;
  gone bigint;
begin
  perform 1 from audit_chain where log = name for update;
  -- Only the start of a log may be removed: everything before the first row that is kept.
  execute format('select coalesce(min(sequence), (select sequence + 1 from audit_chain where log = %L)) - 1 from %I where datetime >= $1', name, name) into last_sequence using before;
  execute format('select digest from %I where sequence = $1', name) into last_digest using last_sequence;
  if last_digest is null then
    return 0;
  end if;
  perform set_config('sallyport.retention', 'on', true);
  execute format('grant delete on %I to current_user', name);
  execute format('delete from %I where sequence <= $1', name) using last_sequence;
  get diagnostics gone = row_count;
  execute format('revoke delete on %I from current_user', name);
  perform set_config('sallyport.retention', 'off', true);
  update audit_chain set removed_sequence = last_sequence, removed_digest = last_digest where log = name;
  return gone;
end $$;

-- Statements with many rows, such as imports, move the head of the chain once. The position within
-- the statement is kept in a setting of the transaction.
create function audit_begin() returns trigger language plpgsql as $$
declare
  head audit_chain;
begin
  -- Writers of one log wait here for each other. The entry is the last step of a change, so the
  -- wait is short.
  select * into strict head from audit_chain where log = tg_table_name for update;
  perform set_config('sallyport.chain_' || tg_table_name, head.sequence || ':' || encode(head.digest, 'hex'), true);
  return null;
end $$;
create trigger append_begin before insert on ftp_log for each statement
  execute function audit_begin();
create trigger append_begin before insert on login_log for each statement
  execute function audit_begin();
create trigger append_begin before insert on operate_log for each statement
  execute function audit_begin();
create trigger append_begin before insert on password_change_log for each statement
  execute function audit_begin();
create trigger append_begin before insert on session_digest for each statement
  execute function audit_begin();

create function audit_end() returns trigger language plpgsql as $$
declare
  state text := current_setting('sallyport.chain_' || tg_table_name);
begin
  update audit_chain set sequence = split_part(state, ':', 1)::bigint, digest = decode(split_part(state, ':', 2), 'hex') where log = tg_table_name;
  return null;
end $$;
create trigger append_end after insert on ftp_log for each statement execute function audit_end();
create trigger append_end after insert on login_log for each statement execute function audit_end();
create trigger append_end after insert on operate_log for each statement
  execute function audit_end();
create trigger append_end after insert on password_change_log for each statement
  execute function audit_end();
create trigger append_end after insert on session_digest for each statement
  execute function audit_end();

-- Runs at the commit, as the last step of the transaction. The lock is held until the row is
-- visible, so no lower number appears later.
create function write_event() returns trigger language plpgsql set "TimeZone" to 'UTC' as $$
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
create constraint trigger event after insert on ftp_log deferrable initially deferred for each row
  execute function write_event('file', 'id sequence user user_id remote_addr asset asset_id system_user system_user_id account session operate filename size sha256 is_success reason');
create constraint trigger event after insert on login_log deferrable initially deferred
  for each row
  execute function write_event('sign_in', 'id sequence username user_id type ip city user_agent mfa reason status');
create constraint trigger event after insert on operate_log deferrable initially deferred
  for each row
  execute function write_event('operation', 'id sequence user action resource_type resource resource_id remote_addr changes');
create constraint trigger event after insert on password_change_log deferrable initially deferred
  for each row
  execute function write_event('password_change', 'id sequence user user_id change_by remote_addr');
create constraint trigger event_begin after insert on session deferrable initially deferred
  for each row
  execute function write_event('session_begin', 'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start');
create constraint trigger event_end after update of is_finished on session deferrable initially deferred
  for each row when (new.is_finished and not old.is_finished)
  execute function write_event('session_end', 'id user asset system_user user_id asset_id system_user_id login_from remote_addr protocol second_factor date_start date_end end_reason is_success has_replay command_amount commands_denied risk_level');

insert into audit_chain (log) values
  ('operate_log'), ('login_log'), ('password_change_log'), ('ftp_log'), ('session_digest');

-- The server appends to the logs. Only audit_forget may delete, and nothing may update.
revoke update, delete, truncate on operate_log, login_log, password_change_log, ftp_log, session_digest
  from public, current_user;
