-- Requests of users that an assignee decides. Each request is about one kind of target and leads to
-- a permission of that kind.
create table ticket (
  id uuid primary key default gen_random_uuid(),
  user_id uuid references account (id) on delete set null,
  -- Names stay readable when the account is deleted.
  user_display text not null default '',
  title text not null,
  body text not null,
  type text not null default 'general'
    check (type in ('general', 'login_confirm', 'request_asset', 'request_app', 'emergency')),
  status text not null default 'open' check (status in ('open', 'closed')),
  action text not null default '' check (action in ('', 'approve', 'reject')),
  assignee_id uuid references account (id) on delete set null,
  assignee_display text not null default '',
  closed_by text not null default '',
  date_closed timestamptz,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(user_display || E'\n' || title)) stored,
  constraint ticket_check check (action = '' or status = 'closed')
);
create index ticket_list on ticket (date_created desc, id);
create index ticket_user on ticket (user_id, date_created desc);
create index ticket_assignee on ticket (assignee_id);
create index ticket_search on ticket using gin (search_text gin_trgm_ops);

create table ticket_assignees (
  ticket_id uuid references ticket (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  primary key (ticket_id, user_id)
);
create index ticket_assignees_user on ticket_assignees (user_id, ticket_id);

create table ticket_comment (
  id uuid primary key default gen_random_uuid(),
  ticket_id uuid not null references ticket (id) on delete cascade,
  user_id uuid references account (id) on delete set null,
  user_display text not null,
  body text not null,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now()
);
create index ticket_comment_ticket on ticket_comment (ticket_id, date_created, id);
create index ticket_comment_user on ticket_comment (user_id);

-- Users whose sign-ins need confirmation by reviewers.
create table login_confirm_setting (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null unique references account (id) on delete cascade,
  is_active boolean not null default true,
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now()
);

create table login_confirm_setting_reviewers (
  user_id uuid references login_confirm_setting(user_id) on delete cascade,
  reviewer_id uuid references account (id) on delete cascade,
  primary key (user_id, reviewer_id)
);
create index login_confirm_setting_reviewers_reviewer on login_confirm_setting_reviewers (reviewer_id);

-- Requested access and the resulting permission.
create table ticket_asset_request (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  org_id text not null,
  ips text[] not null default '{}'::text[],
  hostname text not null default '',
  "system_user" text not null default '',
  actions integer not null default 1,
  date_start timestamptz not null,
  date_expired timestamptz not null,
  confirmed_assets uuid[] not null default '{}'::uuid[],
  confirmed_system_user uuid[] not null default '{}'::uuid[],
  permission_id uuid unique references asset_permission (id) on delete set null,
  -- Time at which the requester was reminded of the end.
  date_reminded timestamptz,
  target text not null default 'asset' check (target in ('asset', 'database_app', 'remote_app')),
  -- Application in the words of the requester.
  application text not null default '',
  is_read_only boolean not null default false,
  confirmed_apps uuid[] not null default '{}'::uuid[],
  database_permission_id uuid unique references database_app_permission (id) on delete set null,
  remote_permission_id uuid unique references remote_app_permission (id) on delete set null,
  constraint ticket_asset_request_check check (date_expired > date_start)
);
create index ticket_asset_request_organization on ticket_asset_request (org_id);

-- Requests whose permissions allowed a session when it started.
create table session_request (
  session_id uuid references session (id) on delete cascade,
  ticket_id uuid references ticket (id) on delete cascade,
  primary key (session_id, ticket_id)
);
create index session_request_ticket on session_request (ticket_id);

-- Rules for access without waiting for an approval, for a short time.
create table emergency_access (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  actions integer not null default 255,
  max_minutes integer not null default 60 check (max_minutes >= 5 and max_minutes <= 1440),
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index emergency_access_search on emergency_access using gin (search_text gin_trgm_ops);

create table emergency_access_users (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  primary key (emergency_access_id, user_id)
);
create index emergency_access_users_user on emergency_access_users (user_id, emergency_access_id);

create table emergency_access_user_groups (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  primary key (emergency_access_id, user_group_id)
);
create index emergency_access_user_groups_group on emergency_access_user_groups (user_group_id, emergency_access_id);

create table emergency_access_assets (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  primary key (emergency_access_id, asset_id)
);
create index emergency_access_assets_asset on emergency_access_assets (asset_id);

create table emergency_access_nodes (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  primary key (emergency_access_id, node_id)
);
create index emergency_access_nodes_node on emergency_access_nodes (node_id);

create table emergency_access_system_users (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  system_user_id uuid references system_account (id) on delete cascade,
  primary key (emergency_access_id, system_user_id)
);
create index emergency_access_system_users_system_user on emergency_access_system_users (system_user_id);

create table emergency_access_reviewers (
  emergency_access_id uuid references emergency_access (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  primary key (emergency_access_id, user_id)
);
create index emergency_access_reviewers_user on emergency_access_reviewers (user_id);

-- Opened emergency access with user and reason. Its ticket is open until another user has reviewed
-- it.
create table emergency_activation (
  ticket_id uuid primary key references ticket (id) on delete cascade,
  org_id text not null,
  emergency_access_id uuid references emergency_access (id) on delete set null,
  rule_name text not null,
  user_id uuid references account (id) on delete set null,
  asset_id uuid references asset (id) on delete set null,
  asset_display text not null,
  permission_id uuid unique references asset_permission (id) on delete set null,
  minutes integer not null,
  date_start timestamptz not null default now(),
  date_expired timestamptz not null,
  constraint emergency_activation_check check (date_expired > date_start)
);
create index emergency_activation_organization on emergency_activation (org_id, date_start desc);
create index emergency_activation_rule on emergency_activation (emergency_access_id);
create index emergency_activation_user on emergency_activation (user_id, date_start desc);
create index emergency_activation_asset on emergency_activation (asset_id);

-- Recordings that a reviewer has opened. A review needs all of them.
create table emergency_replay (
  session_id uuid references session (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  date_opened timestamptz not null default now(),
  primary key (session_id, user_id)
);
create index emergency_replay_user on emergency_replay (user_id);

alter table pending_sign_in add foreign key (confirm_ticket)
  references ticket (id) on delete set null;

-- Tickets whose permissions allow a user an application as a system user at a time.
create function app_requests_allowing(kind text, person uuid, app uuid, account uuid, moment timestamp with time zone)
  returns table(ticket_id uuid) language plpgsql stable as $$
begin
  if kind = 'database_app' then
    return query select r.ticket_id from ticket_asset_request r join database_app_permission p on p.id = r.database_permission_id
    where p.is_active and p.date_start <= moment and p.date_expired > moment
      and exists (select 1 from database_app_permission_database_apps l where l.database_app_permission_id = p.id and l.database_app_id = app)
      and exists (select 1 from database_app_permission_system_users l where l.database_app_permission_id = p.id and l.system_user_id = account)
      and (exists (select 1 from database_app_permission_users l where l.database_app_permission_id = p.id and l.user_id = person)
        or exists (select 1 from database_app_permission_user_groups l join user_group_users m on m.user_group_id = l.user_group_id
          where l.database_app_permission_id = p.id and m.user_id = person));
  elsif kind = 'remote_app' then
    return query select r.ticket_id from ticket_asset_request r join remote_app_permission p on p.id = r.remote_permission_id
    where p.is_active and p.date_start <= moment and p.date_expired > moment
      and exists (select 1 from remote_app_permission_remote_apps l where l.remote_app_permission_id = p.id and l.remote_app_id = app)
      and exists (select 1 from remote_app_permission_system_users l where l.remote_app_permission_id = p.id and l.system_user_id = account)
      and (exists (select 1 from remote_app_permission_users l where l.remote_app_permission_id = p.id and l.user_id = person)
        or exists (select 1 from remote_app_permission_user_groups l join user_group_users m on m.user_group_id = l.user_group_id
          where l.remote_app_permission_id = p.id and m.user_id = person));
  end if;
end $$;
