-- Copies of running recordings in a bucket, part by part. If the server of a session dies, another
-- one makes a recording of the parts.
create table recording_copy (
  session uuid primary key references session (id) on delete cascade,
  storage uuid not null references replay_storage (id),
  -- Parts in the bucket, and bytes of the running file in them. The newest ones may be missing here.
  parts integer not null,
  size bigint not null,
  date_copied timestamptz not null default now(),
  -- The server that puts the parts together.
  restored_by text,
  -- Why the parts could not be put together last time.
  problem text,
  -- The recording that was made of the parts, signed: a writer of the database cannot declare
  -- another one.
  restored_size bigint,
  restored_sha256 text,
  restored_signature text
);
create index recording_copy_storage on recording_copy (storage);
create index recording_copy_unrestored on recording_copy (session) where restored_sha256 is null;
