-- Who may use which applications. Both kinds of permission have the same shape as those for assets, without nodes.
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
create index remote_app_permission_search on remote_app_permission using gin (search_text gin_trgm_ops);
create trigger grants_moved after insert or update or delete or truncate on remote_app_permission for each statement execute function grant_version_moved();

create table remote_app_permission_users (
  remote_app_permission_id uuid not null references remote_app_permission (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (remote_app_permission_id, user_id)
);
create index remote_app_permission_users_user on remote_app_permission_users (user_id, remote_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on remote_app_permission_users for each statement execute function grant_version_moved();

create table remote_app_permission_user_groups (
  remote_app_permission_id uuid not null references remote_app_permission (id) on delete cascade,
  user_group_id uuid not null references user_group (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (remote_app_permission_id, user_group_id)
);
create index remote_app_permission_user_groups_group on remote_app_permission_user_groups (user_group_id, remote_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on remote_app_permission_user_groups for each statement execute function grant_version_moved();

create table remote_app_permission_remote_apps (
  remote_app_permission_id uuid not null references remote_app_permission (id) on delete cascade,
  remote_app_id uuid not null references remote_app (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (remote_app_permission_id, remote_app_id)
);
create index remote_app_permission_remote_apps_app on remote_app_permission_remote_apps (remote_app_id, remote_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on remote_app_permission_remote_apps for each statement execute function grant_version_moved();

create table remote_app_permission_system_users (
  remote_app_permission_id uuid not null references remote_app_permission (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (remote_app_permission_id, system_user_id)
);
create index remote_app_permission_system_users_system_user on remote_app_permission_system_users (system_user_id, remote_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on remote_app_permission_system_users for each statement execute function grant_version_moved();

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
  unique (org_id, name)
);
create index database_app_permission_search on database_app_permission using gin (search_text gin_trgm_ops);
create trigger grants_moved after insert or update or delete or truncate on database_app_permission for each statement execute function grant_version_moved();

create table database_app_permission_users (
  database_app_permission_id uuid not null references database_app_permission (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (database_app_permission_id, user_id)
);
create index database_app_permission_users_user on database_app_permission_users (user_id, database_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on database_app_permission_users for each statement execute function grant_version_moved();

create table database_app_permission_user_groups (
  database_app_permission_id uuid not null references database_app_permission (id) on delete cascade,
  user_group_id uuid not null references user_group (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (database_app_permission_id, user_group_id)
);
create index database_app_permission_user_groups_group on database_app_permission_user_groups (user_group_id, database_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on database_app_permission_user_groups for each statement execute function grant_version_moved();

create table database_app_permission_database_apps (
  database_app_permission_id uuid not null references database_app_permission (id) on delete cascade,
  database_app_id uuid not null references database_app (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (database_app_permission_id, database_app_id)
);
create index database_app_permission_database_apps_app on database_app_permission_database_apps (database_app_id, database_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on database_app_permission_database_apps for each statement execute function grant_version_moved();

create table database_app_permission_system_users (
  database_app_permission_id uuid not null references database_app_permission (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  id bigint generated always as identity unique,
  primary key (database_app_permission_id, system_user_id)
);
create index database_app_permission_system_users_system_user on database_app_permission_system_users (system_user_id, database_app_permission_id);
create trigger grants_moved after insert or update or delete or truncate on database_app_permission_system_users for each statement execute function grant_version_moved();

-- Users who lose their last role in an organization leave these permissions, too.
create or replace function organization_member_left() returns trigger language plpgsql as $$
begin
  delete from user_group_users link using gone, user_group owner
    where owner.id = link.user_group_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from asset_permission_users link using gone, asset_permission owner
    where owner.id = link.asset_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from remote_app_permission_users link using gone, remote_app_permission owner
    where owner.id = link.remote_app_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  delete from database_app_permission_users link using gone, database_app_permission owner
    where owner.id = link.database_app_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  return null;
end $$;
