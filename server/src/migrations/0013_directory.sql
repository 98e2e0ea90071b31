-- What was last read from the LDAP directory, so that choosing whom to take over does not ask it for every page.
create table ldap_person (
  dn text primary key,
  username text not null,
  name text not null default '',
  email text not null default '',
  fields jsonb not null,
  search_text text generated always as (lower(username || E'\n' || name || E'\n' || email)) stored
);
create index ldap_person_username on ldap_person (lower(username));

-- One server reads at a time. What it began is its own until the lease ends; a server that stopped in the middle holds up nobody for longer.
create table ldap_sync (
  only_row boolean primary key default true check (only_row),
  state text not null default 'none' check (state in ('none', 'running', 'done', 'failed')),
  holder uuid,
  date_lease timestamptz,
  -- Of the settings it was read by: people of another directory are nobody's.
  settings_digest bytea,
  people integer not null default 0,
  reason text not null default '',
  date_changed timestamptz not null default now()
);
insert into ldap_sync default values;
