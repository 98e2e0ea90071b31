-- Where finished recordings are kept. Each terminal has one; a session names the storage to which its recording was moved, and none while it is on the
-- disk of the server that made it.
create table replay_storage (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null check (type in ('server', 'null', 's3', 'ceph', 'oss')),
  bucket text not null default '',
  endpoint text not null default '',
  region text not null default '',
  path_style boolean not null default true,
  -- Sealed.
  access_key text,
  secret_key text,
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || type)) stored
);
create unique index replay_storage_name on replay_storage (name);
create index replay_storage_search on replay_storage using gin (search_text gin_trgm_ops);
insert into replay_storage (name, type, comment) values ('default', 'server', ''), ('null', 'null', '');

alter table terminal
  add column replay_storage text not null default 'default' references replay_storage (name) on update cascade,
  -- Since when it has this storage: "do not save" must not remove what was recorded before.
  add column date_storage timestamptz not null default now(),
  add column storage_problem text not null default '';
alter table session add column replay_storage uuid references replay_storage (id);
create index session_replay_storage on session (replay_storage) where replay_storage is not null;
