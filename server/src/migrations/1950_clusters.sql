-- Kubernetes clusters: API servers that users reach through the bastion.
create table cluster (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  host text not null,
  port integer not null default 6443 check (port >= 1 and port <= 65535),
  tls_name text not null default '',
  ca_certificate text not null default '',
  domain_id uuid references domain (id) on delete set null,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index cluster_domain on cluster (domain_id) where (domain_id is not null);
create index cluster_search on cluster using gin (search_text gin_trgm_ops);

-- Verbs and actions are bits of CLUSTER_VERBS and CLUSTER_ACTIONS in the contract.
create table cluster_permission (
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
  kube_user text not null default '{username}',
  kube_groups text not null default '',
  namespaces text not null default 'default',
  verbs integer not null default 7,
  actions integer not null default 0,
  kinds text not null default '',
  condition_id uuid references condition (id),
  needs_approval boolean not null default false,
  approval_minutes integer not null default 0
    check (approval_minutes >= 0 and approval_minutes <= 1440),
  approval_stages integer not null default 1
    check (approval_stages >= 1 and approval_stages <= 3),
  unique (org_id, name)
);
create index cluster_permission_search on cluster_permission using gin (search_text gin_trgm_ops);
create index cluster_permission_condition on cluster_permission (condition_id)
  where (condition_id is not null);

-- Users, user groups, clusters, system users and reviewers of permissions.
create table cluster_permission_users (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_id)
);
create index cluster_permission_users_user on cluster_permission_users (user_id, cluster_permission_id);
create table cluster_permission_user_groups (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_group_id)
);
create index cluster_permission_user_groups_user_group on cluster_permission_user_groups (user_group_id, cluster_permission_id);
create table cluster_permission_clusters (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  cluster_id uuid references cluster (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, cluster_id)
);
create index cluster_permission_clusters_cluster on cluster_permission_clusters (cluster_id, cluster_permission_id);
create table cluster_permission_system_users (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  system_user_id uuid references system_account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, system_user_id)
);
create index cluster_permission_system_users_system_user on cluster_permission_system_users (system_user_id, cluster_permission_id);
create table cluster_permission_approvers (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_id)
);
create index cluster_permission_approvers_user on cluster_permission_approvers (user_id, cluster_permission_id);
create table cluster_permission_approver_groups (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_group_id)
);
create index cluster_permission_approver_groups_user_group on cluster_permission_approver_groups (user_group_id, cluster_permission_id);
create table cluster_permission_second_approvers (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_id)
);
create index cluster_permission_second_approvers_user on cluster_permission_second_approvers (user_id, cluster_permission_id);
create table cluster_permission_second_approver_groups (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_group_id)
);
create index cluster_permission_second_approver_groups_user_group on cluster_permission_second_approver_groups (user_group_id, cluster_permission_id);
create table cluster_permission_third_approvers (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_id uuid references account (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_id)
);
create index cluster_permission_third_approvers_user on cluster_permission_third_approvers (user_id, cluster_permission_id);
create table cluster_permission_third_approver_groups (
  cluster_permission_id uuid references cluster_permission (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  id bigint unique generated always as identity,
  primary key (cluster_permission_id, user_group_id)
);
create index cluster_permission_third_approver_groups_user_group on cluster_permission_third_approver_groups (user_group_id, cluster_permission_id);

-- Live sessions check their permission again.
create trigger grants_moved after delete or truncate on cluster
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on cluster_permission
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on cluster_permission_users
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on cluster_permission_user_groups
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on cluster_permission_clusters
  for each statement execute function grant_version_moved();
create trigger grants_moved after insert or delete or update or truncate on cluster_permission_system_users
  for each statement execute function grant_version_moved();

-- Change control holds permissions of clusters as those of other targets.
create or replace function guard_change() returns trigger language plpgsql as $$
declare
  sides jsonb[] := '{}';
  side jsonb;
  owner_table text := coalesce(tg_argv[0], tg_table_name);
  owner_id uuid;
  organization text;
  is_permission boolean := owner_table in
    ('asset_permission', 'remote_app_permission', 'database_app_permission',
      'cluster_permission');
  other_exists boolean;
begin
  if exists (select 1 from change_control) then
    if tg_op <> 'INSERT' then sides := sides || to_jsonb(old); end if;
    if tg_op <> 'DELETE' then sides := sides || to_jsonb(new); end if;
  end if;
  foreach side in array sides loop
    if tg_nargs = 0 then
      organization := side ->> 'org_id';
      owner_id := side ->> 'id';
    else
      owner_id := side ->> tg_argv[1];
      execute format('select org_id from %I where id = $1', owner_table)
        into organization using owner_id;
      -- The links of a deleted owner follow it.
      continue when organization is null;
      if tg_op = 'DELETE' then
        -- The links to a deleted object follow it, and those of users who left.
        execute format('select exists (select 1 from %I where id = $1)', tg_argv[2])
          into other_exists using (side ->> tg_argv[3])::uuid;
        continue when not other_exists;
        continue when (is_permission or owner_table = 'user_group')
          and tg_table_name = owner_table || '_users' and (
            exists (select 1 from account a where a.id = (side ->> 'user_id')::uuid
              and not a.is_active)
            or organization <> '' and not exists (select 1 from organization_member m
              where m.organization_id::text = organization
              and m.user_id = (side ->> 'user_id')::uuid));
        -- Auditors are in no groups, and a provider takes back what it gave.
        continue when tg_table_name = 'user_group_users' and (
          exists (select 1 from account a where a.id = (side ->> 'user_id')::uuid
            and a.role = 'Auditor')
          or exists (select 1 from provider_membership p where p.user_group_id = owner_id
            and p.user_id = (side ->> 'user_id')::uuid));
      end if;
    end if;
    if not change_is_decided(organization, case when is_permission then owner_id end, tg_op) then
      raise exception using errcode = 'SP001', message = 'the organization controls this change';
    end if;
  end loop;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;
create or replace function is_app_granted(kind text, app uuid) returns boolean
language sql stable as $$
  select case kind
    when 'database_app' then exists (
        select 1 from database_app_permission_database_apps l where l.database_app_id = app)
      or is_proposed((select a.org_id from database_app a where a.id = app), array[app])
    when 'remote_app' then exists (
        select 1 from remote_app_permission_remote_apps l where l.remote_app_id = app)
      or is_proposed((select a.org_id from remote_app a where a.id = app), array[app])
    when 'cluster' then exists (
        select 1 from cluster_permission_clusters l where l.cluster_id = app)
      or is_proposed((select a.org_id from cluster a where a.id = app), array[app])
    else false
  end
$$;
create trigger change_control before update on cluster for each row
  execute function guard_target('org_id', 'host', 'port', 'tls_name', 'ca_certificate',
    'domain_id');
create trigger change_control before insert or update or delete on cluster_permission
  for each row execute function guard_change();
create trigger change_control before insert or update or delete on cluster_permission_users
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on cluster_permission_user_groups
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on cluster_permission_clusters
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'cluster', 'cluster_id');
create trigger change_control before insert or update or delete on cluster_permission_system_users
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'system_account', 'system_user_id');
create trigger change_control before insert or update or delete on cluster_permission_approvers
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on cluster_permission_approver_groups
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on cluster_permission_second_approvers
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on cluster_permission_second_approver_groups
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'user_group', 'user_group_id');
create trigger change_control before insert or update or delete on cluster_permission_third_approvers
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'account', 'user_id');
create trigger change_control before insert or update or delete on cluster_permission_third_approver_groups
  for each row execute function guard_change('cluster_permission', 'cluster_permission_id', 'user_group', 'user_group_id');

-- Users who lose their last role in an organization also leave these permissions.
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
  delete from cluster_permission_users link using gone, cluster_permission owner
    where owner.id = link.cluster_permission_id and owner.org_id = gone.organization_id::text and link.user_id = gone.user_id
      and not exists (select 1 from organization_member still where still.organization_id = gone.organization_id and still.user_id = gone.user_id);
  return null;
end $$;

alter table session drop constraint session_target_kind_check,
  add constraint session_target_kind_check
    check (target_kind in ('asset', 'database_app', 'remote_app', 'cluster')),
  drop constraint session_kind_check,
  add constraint session_kind_check
    check (kind in ('terminal', 'transfer', 'query', 'desktop', 'api'));

-- Tokens of kubeconfig files. Each belongs to a sign-in and ends with it.
create table cluster_token (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references account (id) on delete cascade,
  cluster_id uuid not null references cluster (id) on delete cascade,
  system_user_id uuid not null references system_account (id) on delete cascade,
  login_id text not null,
  -- SHA-256 of the token.
  token_hash bytea not null unique,
  language text not null,
  date_created timestamptz not null default now(),
  date_used timestamptz,
  date_expired timestamptz not null
);
create index cluster_token_user on cluster_token (user_id, cluster_id);
create index cluster_token_cluster on cluster_token (cluster_id);
create index cluster_token_system_user on cluster_token (system_user_id);
create index cluster_token_expired on cluster_token (date_expired);
