-- Keys that seal secrets, sign, and authenticate servers to each other. A master key outside of the
-- database wraps them. Sealed values name their key.
create table data_key (
  -- `v1`: the master key of an earlier version, whose values name no key.
  id text not null,
  purpose text not null check (purpose in ('secrets', 'signatures', 'servers')),
  -- The public name of the master key that wraps this key.
  master_id text not null,
  wrapped text not null,
  -- A coming key is known to the servers and seals nothing yet; a retired one only opens.
  state text not null check (state in ('coming', 'active', 'retired')),
  date_created timestamptz not null default now(),
  primary key (purpose, id)
);
create unique index data_key_active on data_key (purpose) where state = 'active';
create unique index data_key_coming on data_key (purpose) where state = 'coming';

-- The data keys that each running server holds. A rotation waits for them.
create table data_key_server (
  server text primary key,
  -- Keys that the server opens, as `purpose id`.
  opened text[] not null,
  -- The key that seals its secrets.
  sealing text not null,
  date_reported timestamptz not null default now()
);
