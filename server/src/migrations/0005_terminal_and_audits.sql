-- What people did: sessions, commands, attempts to sign in, changes.
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
  replay_state text not null default 'none' check (replay_state in ('none', 'recording', 'finished', 'recovered', 'failed')),
  command_amount integer not null default 0,
  end_reason text,
  date_start timestamptz not null default now(),
  date_end timestamptz,
  -- Which running server holds it, so that another one leaves it alone when it clears up after a crash.
  holder text,
  search_text text generated always as (lower("user" || E'\n' || asset || E'\n' || "system_user" || E'\n' || coalesce(remote_addr, ''))) stored
);
create index session_start on session (org_id, date_start desc, id desc);
create index session_open on session (org_id, date_start desc) where not is_finished;
create index session_person on session (user_id, date_start desc);
create index session_asset on session (asset_id, date_start desc);
create index session_search on session using gin (search_text gin_trgm_ops);

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
  unique (session, sequence)
);
create index command_date on command (org_id, date desc, sequence desc);
create index command_search on command using gin (search_text gin_trgm_ops);

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
  search_text text generated always as (lower(username || E'\n' || ip || E'\n' || coalesce(city, ''))) stored
);
create index login_log_datetime on login_log (datetime desc, username);
create index login_log_search on login_log using gin (search_text gin_trgm_ops);

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
  search_text text generated always as (lower("user" || E'\n' || resource || E'\n' || remote_addr)) stored
);
create index operate_log_datetime on operate_log (org_id, datetime desc);
create index operate_log_object on operate_log (resource_id, datetime desc);
create index operate_log_search on operate_log using gin (search_text gin_trgm_ops);
