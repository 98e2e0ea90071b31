-- Databases and programs that people use instead of whole servers.
create table remote_app (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  -- The server with the program: without it there is no program.
  asset_id uuid not null references asset (id) on delete cascade,
  type text not null default 'chrome' check (type in ('chrome', 'mysql_workbench', 'vmware_client', 'custom')),
  path text not null default '',
  -- What the program gets; the password is apart from it, sealed.
  params jsonb not null default '{}',
  password text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || ' ' || type || ' ' || comment)) stored,
  unique (org_id, name)
);
create index remote_app_asset on remote_app (asset_id);
create index remote_app_search on remote_app using gin (search_text gin_trgm_ops);

create table database_app (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  type text not null default 'mysql' check (type in ('mysql', 'mariadb', 'postgresql', 'redis')),
  host text not null,
  port integer not null default 3306 check (port between 1 and 65535),
  database text,
  domain_id uuid references domain (id) on delete set null,
  tls text not null default 'off' check (tls in ('off', 'required')),
  ca_certificate text not null default '',
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);
create index database_app_domain on database_app (domain_id) where domain_id is not null;
create index database_app_search on database_app using gin (search_text gin_trgm_ops);

create trigger grants_moved after delete or truncate or update of asset_id on remote_app for each statement execute function grant_version_moved();
create trigger grants_moved after delete or truncate or update of type on database_app for each statement execute function grant_version_moved();
