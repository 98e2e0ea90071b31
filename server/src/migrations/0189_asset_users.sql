-- Secrets of accounts on single assets. They count before those of system users and admin users with the same username there. Each change is a new version.
create table asset_user (
  id uuid primary key default gen_random_uuid(),
  asset_id uuid not null references asset (id) on delete cascade,
  username text not null check (username <> ''),
  version integer not null,
  is_latest boolean not null default true,
  -- Sealed.
  password text,
  private_key text,
  public_key text,
  comment text not null default '',
  -- Which part of the product stored it.
  origin text not null default 'user' check (origin in ('user', 'push', 'change_auth')),
  created_by text not null default '',
  date_created timestamptz not null default now(),
  date_updated timestamptz not null default now(),
  unique (asset_id, username, version)
);
create unique index asset_user_latest on asset_user (asset_id, username) where is_latest;
create index asset_user_username on asset_user (username, asset_id) where is_latest;
