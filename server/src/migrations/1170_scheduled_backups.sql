-- Backups on a schedule: which copies of a backup exist, and backups that failed.
alter table backup
  add column is_scheduled boolean not null default false,
  -- `waiting`: the folder is whole, and its copy for the storage has not been verified.
  add column state text not null default 'complete'
    check (state in ('complete', 'waiting', 'failed')),
  -- The server whose disk has the folder. Empty: made by an earlier version.
  add column server text not null default '',
  add column has_folder boolean not null default true,
  add column storage uuid references replay_storage (id),
  -- Key, size and digest of the encrypted object, from the time it was read back.
  add column stored_key text,
  add column stored_bytes bigint,
  add column stored_sha256 text,
  add column date_stored timestamptz,
  -- Code and detail of the last failure; empty: none.
  add column problem text not null default '',
  add column detail text not null default '';
create index backup_storage on backup (storage) where (storage is not null);
