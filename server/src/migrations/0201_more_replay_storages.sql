-- Containers of Azure Blob Storage, and Swift through its S3 interface.
alter table replay_storage
  add column container_name text not null default '',
  add column account_name text not null default '',
  -- Sealed.
  add column account_key text,
  add column endpoint_suffix text not null default 'core.windows.net',
  drop constraint replay_storage_type_check,
  add constraint replay_storage_type_check check (type in ('server', 'null', 's3', 'ceph', 'oss', 'swift', 'azure'));
