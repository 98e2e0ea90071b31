-- Servers, the accounts on them, and the tree they hang in.
create table platform (
  id uuid primary key default gen_random_uuid(),
  name text not null unique,
  base text not null default 'Linux',
  charset text not null default 'utf8' check (charset in ('utf8', 'gbk')),
  internal boolean not null default false,
  meta jsonb,
  comment text,
  search_text text generated always as (lower(name)) stored
);
insert into platform (name, base, charset, internal, meta) values
  ('Linux', 'Linux', 'utf8', true, null),
  ('Unix', 'Unix', 'utf8', true, null),
  ('MacOS', 'MacOS', 'utf8', true, null),
  ('BSD', 'BSD', 'utf8', true, null),
  ('Windows', 'Windows', 'utf8', true, null),
  ('Windows2016', 'Windows', 'utf8', true, '{"security": "tls"}'),
  ('Other', 'Other', 'utf8', true, null);

create table domain (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  comment text not null default '',
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name)) stored,
  unique (org_id, name)
);

create table gateway (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  ip text not null,
  port integer not null default 22,
  protocol text not null default 'ssh',
  username text not null default '',
  password text,
  private_key text,
  domain_id uuid not null references domain (id) on delete cascade,
  is_active boolean not null default true,
  comment text,
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || ip || E'\n' || username)) stored,
  unique (org_id, name)
);
create index gateway_domain on gateway (domain_id);

create table admin_user (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null default '',
  password text,
  private_key text,
  public_key text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || username)) stored,
  unique (org_id, name)
);

create table system_account (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  username text not null default '',
  protocol text not null default 'ssh',
  password text,
  private_key text,
  public_key text,
  login_mode text not null default 'auto',
  priority integer not null default 20,
  username_same_with_user boolean not null default false,
  auto_push boolean not null default true,
  sudo text not null default '/bin/whoami',
  shell text not null default '/bin/bash',
  sftp_root text not null default 'tmp',
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || username || E'\n' || protocol)) stored,
  unique (org_id, name)
);

create table asset (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  hostname text not null,
  ip text not null,
  protocols text[] not null default '{ssh/22}',
  is_active boolean not null default true,
  public_ip text,
  number text,
  vendor text,
  model text,
  sn text,
  cpu_model text,
  cpu_count integer,
  cpu_cores integer,
  cpu_vcpus integer,
  memory text,
  disk_total text,
  disk_info jsonb,
  os text,
  os_version text,
  os_arch text,
  hostname_raw text,
  comment text not null default '',
  created_by text not null default '',
  date_created timestamptz not null default now(),
  admin_user_id uuid references admin_user (id) on delete restrict,
  domain_id uuid references domain (id) on delete set null,
  platform text not null references platform (name) on update cascade on delete restrict,
  search_text text generated always as (lower(hostname || E'\n' || ip || E'\n' || comment)) stored,
  unique (org_id, hostname)
);
create index asset_search on asset using gin (search_text gin_trgm_ops);
create index asset_ip on asset (org_id, ip);
create index asset_admin_user on asset (admin_user_id);
create index asset_domain on asset (domain_id);

create table label (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  name text not null,
  value text not null,
  category text not null default 'U' check (category in ('S', 'U')),
  is_active boolean not null default true,
  comment text,
  date_created timestamptz not null default now(),
  search_text text generated always as (lower(name || E'\n' || value)) stored,
  unique (org_id, name, value)
);

create table label_assets (
  label_id uuid not null references label (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  primary key (label_id, asset_id)
);
create index label_assets_asset on label_assets (asset_id, label_id);

create table favorite_asset (
  user_id uuid not null references account (id) on delete cascade,
  asset_id uuid not null references asset (id) on delete cascade,
  date_created timestamptz not null default now(),
  primary key (user_id, asset_id)
);
create index favorite_asset_asset on favorite_asset (asset_id);

-- What a server answered with when it was first reached, and what it answered since if that differs.
create table host_key (
  id uuid primary key default gen_random_uuid(),
  org_id text not null default '',
  asset_id uuid references asset (id) on delete cascade,
  gateway_id uuid references gateway (id) on delete cascade,
  host text not null,
  port integer not null,
  key_type text not null,
  public_key bytea not null,
  fingerprint text not null,
  date_pinned timestamptz not null default now(),
  offered_key_type text,
  offered_public_key bytea,
  offered_fingerprint text,
  date_offered timestamptz,
  check (num_nonnulls(asset_id, gateway_id) = 1)
);
create unique index host_key_asset on host_key (asset_id, host, port);
create unique index host_key_gateway on host_key (gateway_id, host, port);
