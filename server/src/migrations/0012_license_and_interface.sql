-- There is at most one license, one key to check it with, and one look of the pages: each of these tables has one row or none.
create table license (
  only_row boolean primary key default true check (only_row),
  content jsonb not null,
  date_imported timestamptz not null default now()
);
create table license_key (
  only_row boolean primary key default true check (only_row),
  public_key text not null
);
create table interface_setting (
  only_row boolean primary key default true check (only_row),
  login_title text not null default ''
);
create table interface_picture (
  name text primary key check (name in ('logo_index', 'logo_logout', 'login_image', 'favicon')),
  media_type text not null check (media_type in ('image/png', 'image/svg+xml', 'image/x-icon')),
  digest text not null,
  content bytea not null
);

-- When each daily piece of housekeeping was last begun, by whichever server.
create table housekeeping (
  name text primary key,
  date_run timestamptz not null default now()
);

-- Clearing up asks for what is old in all organizations.
create index session_date_start on session (date_start);
