-- Permissions for assets.
create table asset_permission (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  actions integer not null default 255,
  date_start timestamptz not null default now(),
  date_expired timestamptz not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  pinyin text,
  -- Maximum age of the second factor for a connection, in minutes; 0: none is required.
  mfa_minutes integer not null default 0 check (mfa_minutes >= 0 and mfa_minutes <= 1440),
  unique (org_id, name)
);
create index asset_permission_search on asset_permission using gin (search_text gin_trgm_ops);
create index asset_permission_pinyin on asset_permission using gin (pinyin gin_trgm_ops)
  where (pinyin is not null);
create index asset_permission_prefix on asset_permission (org_id, lower(name) text_pattern_ops);

create table asset_permission_users (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  -- Time at which the permission started to include the member. Rows older than this column have
  -- the start of the permission.
  date_added timestamptz not null default now(),
  primary key (asset_permission_id, user_id)
);
create index asset_permission_users_user on asset_permission_users (user_id, asset_permission_id);

create table asset_permission_user_groups (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  date_added timestamptz not null default now(),
  primary key (asset_permission_id, user_group_id)
);
create index asset_permission_user_groups_group on asset_permission_user_groups (user_group_id, asset_permission_id);

create table asset_permission_assets (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  id bigint unique generated always as identity,
  date_added timestamptz not null default now(),
  primary key (asset_permission_id, asset_id)
);
create index asset_permission_assets_asset on asset_permission_assets (asset_id, asset_permission_id);

create table asset_permission_nodes (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  id bigint unique generated always as identity,
  date_added timestamptz not null default now(),
  primary key (asset_permission_id, node_id)
);
create index asset_permission_nodes_node on asset_permission_nodes (node_id, asset_permission_id);

create table asset_permission_system_users (
  asset_permission_id uuid references asset_permission (id) on delete cascade,
  system_user_id uuid references system_account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (asset_permission_id, system_user_id)
);
create index asset_permission_system_users_system_user on asset_permission_system_users (system_user_id, asset_permission_id);

-- Removed members of permissions. A member that is added again within ten minutes keeps its earlier
-- date: an undone removal must not hide it from the report of unused access.
create table asset_permission_removed (
  links text,
  permission_id uuid references asset_permission (id) on delete cascade,
  member_id uuid,
  date_added timestamptz not null,
  date_removed timestamptz not null default now(),
  primary key (links, permission_id, member_id)
);
create index asset_permission_removed_date on asset_permission_removed (date_removed);

-- Permissions for applications have the shape of those for assets, without nodes.
create table remote_app_permission (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  date_start timestamptz not null default now(),
  date_expired timestamptz not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index remote_app_permission_search on remote_app_permission
  using gin (search_text gin_trgm_ops);

create table remote_app_permission_users (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_id)
);
create index remote_app_permission_users_user on remote_app_permission_users (user_id, remote_app_permission_id);

create table remote_app_permission_user_groups (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, user_group_id)
);
create index remote_app_permission_user_groups_group on remote_app_permission_user_groups (user_group_id, remote_app_permission_id);

create table remote_app_permission_remote_apps (
  remote_app_permission_id uuid references remote_app_permission (id) on delete cascade,
  remote_app_id uuid references remote_app (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, remote_app_id)
);
create index remote_app_permission_remote_apps_app on remote_app_permission_remote_apps (remote_app_id, remote_app_permission_id);

create table remote_app_permission_system_users (
  remote_app_permission_id uuid,
  system_user_id uuid references system_account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (remote_app_permission_id, system_user_id),
  constraint remote_app_permission_system_user_remote_app_permission_id_fkey foreign key (remote_app_permission_id)
    references remote_app_permission (id) on delete cascade
);
create index remote_app_permission_system_users_system_user on remote_app_permission_system_users (system_user_id, remote_app_permission_id);

-- Actions beyond reading. Permissions from before this column allow everything.
create table database_app_permission (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  date_start timestamptz not null default now(),
  date_expired timestamptz not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  actions integer not null default 255,
  is_read_only boolean not null default false,
  mfa_minutes integer not null default 0 check (mfa_minutes >= 0 and mfa_minutes <= 1440),
  unique (org_id, name)
);
create index database_app_permission_search on database_app_permission
  using gin (search_text gin_trgm_ops);

create table database_app_permission_users (
  database_app_permission_id uuid references database_app_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_id)
);
create index database_app_permission_users_user on database_app_permission_users (user_id, database_app_permission_id);

create table database_app_permission_user_groups (
  database_app_permission_id uuid,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, user_group_id),
  constraint database_app_permission_user_gr_database_app_permission_id_fkey foreign key (database_app_permission_id)
    references database_app_permission (id) on delete cascade
);
create index database_app_permission_user_groups_group on database_app_permission_user_groups (user_group_id, database_app_permission_id);

create table database_app_permission_database_apps (
  database_app_permission_id uuid,
  database_app_id uuid references database_app (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, database_app_id),
  constraint database_app_permission_databas_database_app_permission_id_fkey foreign key (database_app_permission_id)
    references database_app_permission (id) on delete cascade
);
create index database_app_permission_database_apps_app on database_app_permission_database_apps (database_app_id, database_app_permission_id);

create table database_app_permission_system_users (
  database_app_permission_id uuid,
  system_user_id uuid references system_account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (database_app_permission_id, system_user_id),
  constraint database_app_permission_system__database_app_permission_id_fkey foreign key (database_app_permission_id)
    references database_app_permission (id) on delete cascade
);
create index database_app_permission_system_users_system_user on database_app_permission_system_users (system_user_id, database_app_permission_id);

-- Number of changes that can alter granted access. Cached results are valid while it stays the
-- same; live sessions are checked again when it changes.
create table grant_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);

create table favorite_asset (
  user_id uuid references account (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, asset_id)
);
create index favorite_asset_asset on favorite_asset (asset_id);

-- Favorite applications of users.
create table favorite_remote_app (
  user_id uuid references account (id) on delete cascade,
  remote_app_id uuid references remote_app (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, remote_app_id)
);
create index favorite_remote_app_app on favorite_remote_app (remote_app_id);

create table favorite_database_app (
  user_id uuid references account (id) on delete cascade,
  database_app_id uuid references database_app (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, database_app_id)
);
create index favorite_database_app_app on favorite_database_app (database_app_id);

-- Last use of each permission by user and place, without reading all sessions: by an asset that the
-- permission includes (asset_id) or by a node of it (node_id).
create table permission_use (
  permission_id uuid not null references asset_permission (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  asset_id uuid references asset (id) on delete cascade,
  node_id uuid references node (id) on delete cascade,
  last_used timestamptz not null,
  constraint permission_use_check check ((asset_id is null) <> (node_id is null)),
  unique nulls not distinct (permission_id, user_id, asset_id, node_id)
);
create index permission_use_permission on permission_use (permission_id, last_used);
create index permission_use_user on permission_use (user_id, permission_id, last_used);
create index permission_use_asset on permission_use (asset_id, permission_id, last_used)
  where (asset_id is not null);
create index permission_use_node on permission_use (node_id, permission_id, last_used)
  where (node_id is not null);

-- Commands that users may run with a system user.
create table command_filter (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  is_active boolean not null default true,
  comment text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index command_filter_search on command_filter using gin (search_text gin_trgm_ops);

create table command_filter_rule (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  filter_id uuid not null references command_filter (id) on delete cascade,
  type text not null default 'command' check (type in ('command', 'regex')),
  content text not null,
  priority integer not null default 50 check (priority >= 1 and priority <= 100),
  action integer not null default 0 check (action in (0, 1)),
  is_active boolean not null default true,
  comment text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  created_by text not null default '',
  search_text text generated always as (lower(content)) stored
);
create index command_filter_rule_filter on command_filter_rule (filter_id, priority desc, action);
create index command_filter_rule_search on command_filter_rule using gin (search_text gin_trgm_ops);

create table command_filter_system_users (
  command_filter_id uuid references command_filter (id) on delete cascade,
  system_user_id uuid references system_account (id) on delete cascade,
  primary key (command_filter_id, system_user_id)
);
create index command_filter_system_users_account on command_filter_system_users (system_user_id, command_filter_id);

create function grant_version_moved() returns trigger language plpgsql as $$
begin
  update grant_version set version = version + 1;
  perform pg_notify('grants', '');
  return null;
end $$;
create trigger grants_moved after update of is_active, date_expired on account for each statement
  execute function grant_version_moved();
create trigger grants_moved after insert or delete or update of is_active, protocols, hostname, ip or truncate on asset
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission_assets
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission_nodes
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission_system_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission_user_groups
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on asset_permission_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after delete or update of type or truncate on database_app
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on database_app_permission
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on database_app_permission_database_apps
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on database_app_permission_system_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on database_app_permission_user_groups
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on database_app_permission_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after update of parent_id on node for each statement
  execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on node_assets
  for each statement execute function grant_version_moved();
create trigger grants_moved after delete or update of asset_id or truncate on remote_app
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on remote_app_permission
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on remote_app_permission_remote_apps
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on remote_app_permission_system_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on remote_app_permission_user_groups
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on remote_app_permission_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after delete or update of protocol on system_account
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on user_group_users
  for each statement execute function grant_version_moved();

-- Keeps the pinyin of names with Chinese characters, for every statement that writes the name.
create function name_pinyin() returns trigger language plpgsql as $$
declare
  name text := to_jsonb(new) ->> tg_argv[0];
begin
  new.pinyin := case when name ~ '[一-鿿]' then pinyin_words(name) end;
  return new;
end $$;
create trigger account_pinyin before insert or update of name on account
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger asset_pinyin before insert or update of hostname on asset
  for each row when (new.hostname ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('hostname');
create trigger asset_permission_pinyin before insert or update of name on asset_permission
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger database_app_pinyin before insert or update of name on database_app
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger domain_pinyin before insert or update of name on domain
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger node_pinyin before insert or update of value on node
  for each row when (new.value ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('value');
create trigger remote_app_pinyin before insert or update of name on remote_app
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger system_account_pinyin before insert or update of name on system_account
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');
create trigger user_group_pinyin before insert or update of name on user_group
  for each row when (new.name ~ '[一-鿿]'::text or new.pinyin is not null)
  execute function name_pinyin('name');

-- Permissions that allow a user an asset with a system user at a time, each with the asset or the
-- nodes that reach it.
create function permissions_allowing(person uuid, target uuid, account uuid, moment timestamp with time zone)
  returns table(permission_id uuid, asset_id uuid, node_id uuid) language sql stable as $$
  select p.id, place.asset_id, place.node_id
  from (
    select link.asset_permission_id as id from asset_permission_users link where link.user_id = person
    union
    select link.asset_permission_id from user_group_users member
      join asset_permission_user_groups link on link.user_group_id = member.user_group_id where member.user_id = person
  ) named
    join asset_permission p on p.id = named.id and p.is_active and p.date_start <= moment and p.date_expired > moment
    join asset_permission_system_users used on used.asset_permission_id = p.id and used.system_user_id = account
    join lateral (
      select link.asset_id, null::uuid as node_id from asset_permission_assets link where link.asset_permission_id = p.id and link.asset_id = target
      union all
      select null::uuid, link.node_id from asset_permission_nodes link
        join asset_ancestor above on above.node_id = link.node_id and above.asset_id = target where link.asset_permission_id = p.id
    ) place on true
$$;

-- Tells servers to compile the rules of live sessions again.
create function command_filters_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('command_filters', '');
  return null;
end $$;
create trigger command_filters_changed after insert or delete or update on command_filter
  for each statement execute function command_filters_changed();
create trigger command_filters_changed after insert or delete or update on command_filter_rule
  for each statement execute function command_filters_changed();
create trigger command_filters_changed after insert or delete or update on command_filter_system_users
  for each statement execute function command_filters_changed();

create function asset_permission_link_removed() returns trigger language plpgsql as $$
begin
  delete from asset_permission_removed where date_removed < now() - interval '10 minutes';
  execute format(
    'insert into asset_permission_removed (links, permission_id, member_id, date_added)
     select %L, gone.asset_permission_id, gone.%I, gone.date_added from gone join asset_permission p on p.id = gone.asset_permission_id
     on conflict (links, permission_id, member_id) do update set date_added = excluded.date_added, date_removed = excluded.date_removed',
    tg_table_name, tg_argv[0]);
  return null;
end $$;
create trigger removed after delete on asset_permission_assets referencing old table as gone
  for each statement execute function asset_permission_link_removed('asset_id');
create trigger removed after delete on asset_permission_nodes referencing old table as gone
  for each statement execute function asset_permission_link_removed('node_id');
create trigger removed after delete on asset_permission_user_groups referencing old table as gone
  for each statement execute function asset_permission_link_removed('user_group_id');
create trigger removed after delete on asset_permission_users referencing old table as gone
  for each statement execute function asset_permission_link_removed('user_id');

create function asset_permission_link_added() returns trigger language plpgsql as $$
begin
  execute format(
    'update %I link set date_added = removed.date_added from asset_permission_removed removed, added
     where removed.links = %L and removed.permission_id = added.asset_permission_id and removed.member_id = added.%I
       and removed.date_removed >= now() - interval ''10 minutes''
       and link.asset_permission_id = added.asset_permission_id and link.%I = added.%I',
    tg_table_name, tg_table_name, tg_argv[0], tg_argv[0], tg_argv[0]);
  return null;
end $$;
create trigger added after insert on asset_permission_assets referencing new table as added
  for each statement execute function asset_permission_link_added('asset_id');
create trigger added after insert on asset_permission_nodes referencing new table as added
  for each statement execute function asset_permission_link_added('node_id');
create trigger added after insert on asset_permission_user_groups referencing new table as added
  for each statement execute function asset_permission_link_added('user_group_id');
create trigger added after insert on asset_permission_users referencing new table as added
  for each statement execute function asset_permission_link_added('user_id');

create function push_of_rule_assets() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, asset_id)
  select distinct s.id, changed.asset_id from changed
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_assets referencing new table as changed
  for each statement execute function push_of_rule_assets();

create function push_of_rule_nodes() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, node_id)
  select distinct s.id, changed.node_id from changed
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_nodes referencing new table as changed
  for each statement execute function push_of_rule_nodes();

create function push_of_rule_system_users() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, asset_id, node_id)
  select distinct s.id, place.asset_id, place.node_id from changed
    join system_account s on s.id = changed.system_user_id
    join (
      select asset_permission_id, asset_id, null::uuid as node_id from asset_permission_assets
      union all
      select asset_permission_id, null, node_id from asset_permission_nodes
    ) place on place.asset_permission_id = changed.asset_permission_id
  where pushes_itself(s) order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_system_users
  referencing new table as changed for each statement execute function push_of_rule_system_users();

-- A system user with the names of its users gets another user.
create function push_of_rule_users() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, username)
  select distinct s.id, u.username from changed join account u on u.id = changed.user_id
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) and s.username_same_with_user order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_users referencing new table as changed
  for each statement execute function push_of_rule_users();

create function push_of_rule_groups() returns trigger language plpgsql as $$
begin
  insert into system_user_push_wanted (system_user_id, username)
  select distinct s.id, u.username from changed
    join user_group_users member on member.user_group_id = changed.user_group_id join account u on u.id = member.user_id
    join asset_permission_system_users link on link.asset_permission_id = changed.asset_permission_id
    join system_account s on s.id = link.system_user_id where pushes_itself(s) and s.username_same_with_user order by 1, 2
  on conflict (system_user_id, asset_id, node_id, username) do update set is_queued = false;
  return null;
end $$;
create trigger pushes after insert on asset_permission_user_groups
  referencing new table as changed for each statement execute function push_of_rule_groups();

insert into grant_version default values;
