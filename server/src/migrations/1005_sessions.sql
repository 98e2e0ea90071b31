-- Storages of finished recordings. Each terminal has one; a session names the storage of its
-- recording, or none while the recording is on the disk of its server.
create table replay_storage (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null check (type in ('server', 'null', 's3', 'ceph', 'oss', 'swift', 'azure')),
  bucket text not null default '',
  endpoint text not null default '',
  region text not null default '',
  path_style boolean not null default true,
  -- Sealed.
  access_key text,
  secret_key text,
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || type)) stored,
  container_name text not null default '',
  account_name text not null default '',
  -- Sealed.
  account_key text,
  endpoint_suffix text not null default 'core.windows.net'
);
create unique index replay_storage_name on replay_storage (name);
create index replay_storage_search on replay_storage using gin (search_text gin_trgm_ops);

-- Storages of commands. Each terminal has one. A command keeps its row until the storage has
-- confirmed it (`queued_for`); then the row keeps everything but the texts (`stored_in`), and the
-- digest of the whole command.
create table command_storage (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null check (type in ('server', 'null', 'es')),
  hosts text not null default '',
  index text not null default '',
  doc_type text not null default '',
  username text not null default '',
  -- Sealed.
  password text,
  ca_certificate text not null default '',
  problem text not null default '',
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || type)) stored
);
create unique index command_storage_name on command_storage (name);
create index command_storage_search on command_storage using gin (search_text gin_trgm_ops);

-- Running servers register here and renew the row every few seconds. The holder identifies the
-- server across restarts, as in `session.holder`.
create table terminal (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  holder text not null unique,
  remote_addr text not null default '',
  ssh_port integer not null default 0,
  http_port integer not null default 0,
  version text not null default '',
  load integer not null default 0,
  is_active boolean not null default true,
  date_heartbeat timestamptz,
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || remote_addr)) stored,
  replay_storage text not null default 'default' references replay_storage(name) on update cascade,
  -- Start of this storage: "do not save" must not remove earlier recordings.
  date_storage timestamptz not null default now(),
  storage_problem text not null default '',
  command_storage text not null default 'default' references command_storage(name) on update cascade,
  canary_date timestamptz,
  canary_milliseconds integer,
  canary_problem jsonb
);
create unique index terminal_name on terminal (name);
create index terminal_search on terminal using gin (search_text gin_trgm_ops);

-- Sessions on assets and applications. For an application, `asset` is its name and `asset_id` its
-- id.
create table session (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  "user" text not null,
  asset text not null,
  "system_user" text not null,
  user_id text not null default '',
  asset_id text not null default '',
  system_user_id text not null default '',
  login_from text not null default 'WT',
  remote_addr text,
  protocol text not null default 'ssh',
  is_success boolean not null default false,
  is_finished boolean not null default false,
  has_replay boolean not null default false,
  replay_state text not null default 'none'
    check (replay_state in ('none', 'recording', 'finished', 'recovered', 'failed')),
  command_amount integer not null default 0,
  end_reason text,
  date_start timestamptz not null default now(),
  date_end timestamptz,
  -- Server that holds the session, so that others leave it alone when they clean up after a crash.
  holder text,
  search_text text
    generated always as (lower("user" || E'\n' || asset || E'\n' || "system_user" || E'\n' || coalesce(remote_addr, ''))) stored,
  -- Highest risk of the commands of the session. A rejected command counts.
  risk_level integer not null default 0,
  -- Second factor at the connection: none required, recently proved, or asked for.
  second_factor text not null default 'none' check (second_factor in ('none', 'recent', 'asked')),
  -- Periods without a client, such as a closed browser that returned.
  gaps jsonb not null default '[]',
  terminal uuid references terminal (id) on delete set null,
  replay_storage uuid references replay_storage (id),
  -- Outdated algorithms of the session in the order of the handshake, or null.
  old_algorithms text,
  commands_not_kept integer not null default 0,
  commands_denied integer not null default 0,
  -- True if the session is a terminal that accepts guests.
  takes_guests boolean not null default false,
  -- Sessions by which a server tests itself: not counted, listed only on request, not part of the
  -- digests.
  is_canary boolean not null default false,
  is_emergency boolean not null default false,
  target_kind text not null default 'asset'
    check (target_kind in ('asset', 'database_app', 'remote_app')),
  -- Kind of work, for clients.
  kind text not null default 'terminal' check (kind in ('terminal', 'transfer', 'query', 'desktop'))
);
alter table session alter column search_text set statistics 1000;
create index session_start on session (org_id, date_start desc, id desc);
create index session_open on session (org_id, date_start desc) where (not is_finished);
create index session_search on session using gin (search_text gin_trgm_ops);
-- For lists ordered by these columns.
create index session_by_user on session (org_id, "user", id);
create index session_by_asset on session (org_id, asset, id);
create index session_by_system_user on session (org_id, "system_user", id);
create index session_by_end on session (org_id, date_end, id);
create index session_person on session (org_id, user_id, date_start desc, id desc);
create index session_asset on session (org_id, asset_id, date_start desc, id desc);
-- For retention over all organizations.
create index session_date_start on session (date_start);
-- Sessions with work and without a recording: few rows, read with every dashboard.
create index session_unrecorded on session (date_start desc)
  where (is_finished and is_success and replay_state in ('none', 'failed'));
create index session_risk on session (org_id, risk_level desc, date_start desc)
  where (risk_level > 0);
-- Recordings that wait for their server to return.
create index session_unrecovered on session (holder)
  where (is_finished and (replay_state = 'recording'));
create index session_terminal on session (terminal) where (terminal is not null);
create index session_replay_storage on session (replay_storage) where (replay_storage is not null);
create index session_canary on session (holder, date_start) where is_canary;

-- Commands and statements. Columns about results are null for commands typed at a prompt.
create table command (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  session uuid not null references session (id) on delete cascade,
  sequence integer not null,
  "user" text not null,
  asset text not null,
  "system_user" text not null,
  input text not null,
  output text not null default '',
  risk_level integer not null default 0,
  offset_ms integer not null default 0,
  date timestamptz not null default now(),
  search_text text generated always as (lower(input)) stored,
  is_denied boolean not null default false,
  -- User who typed the command, in sessions with guests.
  typed_by text,
  queued_for uuid references command_storage (id),
  stored_in uuid references command_storage (id),
  sha256 text,
  row_count bigint,
  duration_ms integer,
  error text,
  -- The database answered with an error.
  is_failed boolean not null default false,
  -- The key tree of the workspace ran the command. Log readers see it; the history of the user
  -- leaves it out.
  is_by_key_tree boolean not null default false,
  unique (session, sequence)
);
alter table command alter column search_text set statistics 1000;
create index command_date on command (org_id, date desc, sequence desc);
create index command_search on command using gin (search_text gin_trgm_ops);
create index command_risk on command (org_id, risk_level desc, date desc) where (risk_level > 0);
create index command_queue on command (queued_for, id) where (queued_for is not null);
create index command_stored on command (stored_in) where (stored_in is not null);

-- Sessions removed by retention whose commands are still in a storage.
create table command_removal (
  storage uuid references command_storage (id),
  session uuid,
  primary key (storage, session)
);

-- Commands that a user saved for the web terminal.
create table snippet (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  name text not null,
  content text not null,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || content)) stored
);
create index snippet_user on snippet (user_id, name);

-- Digests of ended sessions: of the recording, and of the row with its commands. Chained and
-- append-only like the logs. Retention removes the start of this table first, then the sessions.
create table session_digest (
  id uuid primary key default gen_random_uuid(),
  session uuid not null,
  -- Digest of the facts of the session and its commands; see `features/terminal/session-digest.ts`.
  facts_sha256 text not null,
  -- Size of the recording as kept, compressed; null without one.
  recording_size bigint,
  recording_sha256 text,
  datetime timestamptz not null default now(),
  sequence bigint not null,
  digest bytea not null,
  -- Version of the digest's formula. Null: the row is older than this column and follows version 1
  -- or 2.
  version smallint
);
create index session_digest_session on session_digest (session);
create index session_digest_datetime on session_digest (datetime);
create unique index session_digest_sequence on session_digest (sequence);

-- Invitations to live web terminals. Only the SHA-256 of the link's secret is stored.
create table session_invitation (
  id uuid primary key default gen_random_uuid(),
  session uuid not null references session (id) on delete cascade,
  secret_digest bytea not null unique,
  may_type boolean not null,
  for_username text,
  guest_id uuid,
  guest text,
  remote_addr text,
  date_created timestamptz not null default now(),
  date_expired timestamptz,
  date_accepted timestamptz,
  date_joined timestamptz,
  date_left timestamptz,
  date_ended timestamptz,
  end_reason text
);
create index session_invitation_session on session_invitation (session);
create index session_invitation_open on session_invitation (date_expired)
  where (date_ended is null);

-- Short-lived passwords of database clients, one per user, database and system user. Only a
-- verifier is kept. A password ends with its sign-in.
create table database_password (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  database_app_id uuid not null references database_app (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  org_id text not null,
  login_id uuid not null,
  -- Login name of the client.
  login text not null unique,
  verifier jsonb not null,
  language text not null,
  uses integer not null default 0,
  date_created timestamptz not null default now(),
  date_expired timestamptz not null,
  date_used timestamptz,
  unique (user_id, database_app_id, system_user_id)
);
create index database_password_expired on database_password (date_expired);

-- Position up to which each server's journal is in this database. The position and the entries
-- change in one transaction.
create table session_journal (
  segment text primary key,
  holder text not null,
  "position" bigint not null
);

create function session_uses_permissions() returns trigger language plpgsql as $$
begin
  insert into permission_use (permission_id, user_id, asset_id, node_id, last_used)
  select allowing.permission_id, u.id, allowing.asset_id, allowing.node_id, new.date_start
  from account u, permissions_allowing(u.id, uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
  where u.id = uuid_or_null(new.user_id)
  -- One order of locking: two sessions that start together must not deadlock.
  order by 1, 3, 4
  on conflict (permission_id, user_id, asset_id, node_id) do update set last_used = greatest(permission_use.last_used, excluded.last_used);
  return null;
exception when foreign_key_violation then
  -- A related object is being deleted. Its use does not matter any more; the session is stored.
  return null;
end $$;
create trigger session_uses_permissions after insert on session for each row
  execute function session_uses_permissions();

create function session_uses_requests() returns trigger language plpgsql as $$
begin
  if new.target_kind <> 'asset' then
    insert into session_request (session_id, ticket_id)
    select distinct new.id, asked.ticket_id
    from app_requests_allowing(new.target_kind, uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) asked
    on conflict do nothing;
    return null;
  end if;
  -- Most users have no requests.
  if not new.is_emergency and not exists (
    select 1 from ticket t join ticket_asset_request r on r.ticket_id = t.id
    where t.user_id = uuid_or_null(new.user_id) and r.permission_id is not null) then
    return null;
  end if;
  insert into session_request (session_id, ticket_id)
  select distinct new.id, asked.ticket_id
  from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
    join (
      select r.permission_id, r.ticket_id from ticket_asset_request r
      union all
      select e.permission_id, e.ticket_id from emergency_activation e
    ) asked on asked.permission_id = allowing.permission_id
  on conflict do nothing;
  return null;
exception when foreign_key_violation then
  return null;
end $$;
create trigger session_uses_requests after insert on session for each row
  execute function session_uses_requests();

create function session_days_follow() returns trigger language plpgsql as $$
begin
  perform session_days_add(array_agg(org_id), array_agg(date_start), array_agg(user_id), array_agg("user"), array_agg(asset_id), array_agg(asset))
    from new_rows where not is_canary;
  return null;
end $$;
create trigger session_days_follow after insert on session referencing new table as new_rows
  for each statement execute function session_days_follow();

-- Set when the row is created, so that the first list shows the mark.
create function session_is_emergency() returns trigger language plpgsql as $$
begin
  -- Most users never opened emergency access.
  if exists (select 1 from emergency_activation e where e.user_id = uuid_or_null(new.user_id) and e.permission_id is not null) then
    new.is_emergency := exists (
      select 1 from permissions_allowing(uuid_or_null(new.user_id), uuid_or_null(new.asset_id), uuid_or_null(new.system_user_id), new.date_start) allowing
        join emergency_activation e on e.permission_id = allowing.permission_id);
  end if;
  return new;
end $$;
create trigger session_is_emergency before insert on session for each row
  execute function session_is_emergency();

insert into replay_storage (name, type, comment) values ('default', 'server', ''), ('null', 'null', '');
insert into command_storage (name, type) values ('default', 'server'), ('null', 'null');
