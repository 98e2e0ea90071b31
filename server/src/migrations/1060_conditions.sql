-- Named lists of networks.
create table network (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  networks text[] not null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index network_search on network using gin (search_text gin_trgm_ops);

-- Conditions of permissions and rules. Empty parts always hold.
create table condition (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  networks_excluded boolean not null default false,
  hours text[] not null default '{}',
  time_zone text not null default 'UTC',
  hours_excluded boolean not null default false,
  valid_from timestamptz,
  valid_until timestamptz,
  period_excluded boolean not null default false,
  factor_minutes integer not null default 0 check (factor_minutes >= 0 and factor_minutes <= 1440),
  factor_excluded boolean not null default false,
  clients integer not null default 0,
  clients_excluded boolean not null default false,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index condition_search on condition using gin (search_text gin_trgm_ops);

-- A network of a condition cannot be deleted: without it the condition would hold everywhere.
create table condition_networks (
  condition_id uuid references condition (id) on delete cascade,
  network_id uuid references network (id),
  primary key (condition_id, network_id)
);
create index condition_networks_network on condition_networks (network_id, condition_id);

-- A condition in use cannot be deleted: without it the permission would always hold.
alter table asset_permission add column condition_id uuid references condition (id);
create index asset_permission_condition on asset_permission (condition_id)
  where (condition_id is not null);
alter table remote_app_permission add column condition_id uuid references condition (id);
create index remote_app_permission_condition on remote_app_permission (condition_id)
  where (condition_id is not null);
alter table database_app_permission add column condition_id uuid references condition (id);
create index database_app_permission_condition on database_app_permission (condition_id)
  where (condition_id is not null);

-- The parts of a condition with its networks, as the server evaluates them; null for no condition.
create function condition_terms(uuid) returns jsonb language sql stable strict parallel safe as $$
  select to_jsonb(c) || jsonb_build_object('networks', coalesce((
      select jsonb_agg(jsonb_build_object('name', n.name, 'networks', n.networks) order by n.name)
      from condition_networks link join network n on n.id = link.network_id
      where link.condition_id = c.id), '[]'))
  from condition c where c.id = $1
$$;

create trigger grants_moved after update or truncate on condition for each statement
  execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on condition_networks
  for each statement execute function grant_version_moved();
create trigger grants_moved after update or truncate on network for each statement
  execute function grant_version_moved();
