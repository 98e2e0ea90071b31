-- Who may reach what.
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
  unique (org_id, name)
);

create table asset_permission_users (
  asset_permission_id uuid not null references asset_permission (id) on delete cascade,
  user_id uuid not null references account (id) on delete cascade,
  primary key (asset_permission_id, user_id)
);
create index asset_permission_users_user on asset_permission_users (user_id, asset_permission_id);

create table asset_permission_user_groups (
  asset_permission_id uuid not null references asset_permission (id) on delete cascade,
  user_group_id uuid not null references user_group (id) on delete cascade,
  primary key (asset_permission_id, user_group_id)
);
create index asset_permission_user_groups_group on asset_permission_user_groups (user_group_id, asset_permission_id);

create table asset_permission_assets (
  asset_permission_id uuid not null references asset_permission (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  primary key (asset_permission_id, asset_id)
);
create index asset_permission_assets_asset on asset_permission_assets (asset_id, asset_permission_id);

create table asset_permission_nodes (
  asset_permission_id uuid not null references asset_permission (id) on delete cascade,
  node_id uuid not null references node (id) on delete cascade,
  primary key (asset_permission_id, node_id)
);
create index asset_permission_nodes_node on asset_permission_nodes (node_id, asset_permission_id);

create table asset_permission_system_users (
  asset_permission_id uuid not null references asset_permission (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  primary key (asset_permission_id, system_user_id)
);
create index asset_permission_system_users_system_user on asset_permission_system_users (system_user_id, asset_permission_id);

-- Counts every change that can alter what somebody is granted. What was worked out from the grants is kept together with this
-- number and is good for as long as it stays the same; live sessions are checked again when it moves.
create table grant_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into grant_version default values;

create function grant_version_moved() returns trigger language plpgsql as $$
begin
  update grant_version set version = version + 1;
  perform pg_notify('grants', '');
  return null;
end $$;

create trigger grants_moved after insert or update or delete or truncate on asset_permission for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on asset_permission_users for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on asset_permission_user_groups for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on asset_permission_assets for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on asset_permission_nodes for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on asset_permission_system_users for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on user_group_users for each statement execute function grant_version_moved();
create trigger grants_moved after insert or update or delete or truncate on node_assets for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or truncate or update of is_active, protocols on asset for each statement execute function grant_version_moved();
create trigger grants_moved after update of parent_id on node for each statement execute function grant_version_moved();
create trigger grants_moved after delete or update of protocol on system_account for each statement execute function grant_version_moved();
create trigger grants_moved after update of is_active, date_expired on account for each statement execute function grant_version_moved();
