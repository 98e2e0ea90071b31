-- People, groups, organizations, sign-in state and settings.
create extension if not exists pg_trgm;

-- The default organization is virtual: its rows carry org_id ''.
create table organization (
  id uuid primary key default gen_random_uuid(),
  name text not null unique check (name <> '' and upper(name) <> 'DEFAULT'),
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || comment)) stored
);

create table account (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  username text not null unique,
  password text,
  email text not null unique,
  public_key text,
  wechat text not null default '',
  phone text,
  mfa_level integer not null default 0 check (mfa_level in (0, 1, 2)),
  comment text,
  source text not null default 'local',
  is_active boolean not null default true,
  created_by text not null default '',
  is_first_login boolean not null default true,
  date_password_last_updated timestamptz,
  date_expired timestamptz,
  date_joined timestamptz not null default now(),
  last_login timestamptz,
  role text not null default 'User' check (role in ('Admin', 'User', 'Auditor')),
  preferences jsonb not null default '{}',
  search_text text generated always as (lower(username || E'\n' || name || E'\n' || email)) stored
);
create index account_search on account using gin (search_text gin_trgm_ops);
create index account_name on account (name, id);

create table organization_member (
  organization_id uuid not null references organization (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  role text not null check (role in ('Admin', 'Auditor', 'User')),
  primary key (organization_id, user_id, role)
);
create index organization_member_user on organization_member (user_id);

create table user_group (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index user_group_search on user_group using gin (search_text gin_trgm_ops);

create table user_group_users (
  user_group_id uuid not null references user_group (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  primary key (user_group_id, user_id)
);
create index user_group_users_user on user_group_users (user_id, user_group_id);

-- Only digests of what a browser or a script carries are kept.
create table web_session (
  token_digest bytea primary key,
  id uuid not null unique default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  kind text not null check (kind in ('browser', 'bearer')),
  remote_addr text not null,
  user_agent text not null default '',
  date_created timestamptz not null default now(),
  date_used timestamptz not null default now(),
  date_expired timestamptz not null,
  mfa_verified timestamptz
);
create index web_session_user on web_session (user_id);
create index web_session_expired on web_session (date_expired);

create table login_attempt (
  username text not null,
  remote_addr text not null,
  failures integer not null,
  date_last timestamptz not null default now(),
  primary key (username, remote_addr)
);
create index login_attempt_address on login_attempt (remote_addr, date_last);

create table setting (
  name text primary key,
  value jsonb not null
);
