-- Groups of a directory or provider that give user groups and a role of the installation.
create table group_mapping (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  source text not null check (source in ('ldap', 'openid', 'saml')),
  provider_group text not null,
  role text not null default '' check (role in ('', 'Auditor', 'Admin')),
  is_active boolean not null default false,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name) || ' ' || lower(provider_group)) stored
);
create index group_mapping_search on group_mapping using gin (search_text gin_trgm_ops);
create index group_mapping_group on group_mapping (source, provider_group);

create table group_mapping_user_groups (
  group_mapping_id uuid references group_mapping (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  primary key (group_mapping_id, user_group_id)
);
create index group_mapping_user_groups_user_group
  on group_mapping_user_groups (user_group_id, group_mapping_id);

-- The groups that a source last reported of a user, with mappings or without.
create table provider_groups (
  user_id uuid primary key references account (id) on delete cascade,
  source text not null,
  groups text[] not null,
  date_read timestamptz not null default now()
);

-- Memberships that mappings gave. Those given by hand have no row, so no mapping takes them.
create table provider_membership (
  user_id uuid references account (id) on delete cascade,
  user_group_id uuid references user_group (id) on delete cascade,
  primary key (user_id, user_group_id)
);
create index provider_membership_user_group on provider_membership (user_group_id);
create table provider_role (
  user_id uuid primary key references account (id) on delete cascade,
  role text not null
);
