-- Where commands are kept. Each terminal has one. A command waits in its own row until its storage has confirmed it (`queued_for`); after that the row keeps
-- everything but its texts (`stored_in`), and the digest of the whole command.
create table command_storage (
  id uuid primary key default gen_random_uuid(),
  name text not null,
  type text not null check (type in ('server', 'null', 'es')),
  hosts text not null default '',
  "index" text not null default '',
  doc_type text not null default '',
  username text not null default '',
  -- Sealed.
  password text,
  ca_certificate text not null default '',
  problem text not null default '',
  date_created timestamptz not null default now(),
  comment text not null default '',
  search_text text generated always as (lower(name || E'\n' || type)) stored
);
create unique index command_storage_name on command_storage (name);
create index command_storage_search on command_storage using gin (search_text gin_trgm_ops);
insert into command_storage (name, type) values ('default', 'server'), ('null', 'null');

alter table terminal add column command_storage text not null default 'default' references command_storage (name) on update cascade;

alter table command
  add column queued_for uuid references command_storage (id),
  add column stored_in uuid references command_storage (id),
  add column sha256 text;
create index command_queue on command (queued_for, id) where queued_for is not null;
create index command_stored on command (stored_in) where stored_in is not null;

-- Sessions that retention removed, and whose commands are still in a storage.
create table command_removal (
  storage uuid not null references command_storage (id),
  session uuid not null,
  primary key (storage, session)
);

alter table session
  add column commands_not_kept integer not null default 0,
  add column commands_denied integer not null default 0;
update session s set commands_denied = denied.amount
from (select session, count(*) as amount from command where is_denied group by session) denied where denied.session = s.id;
