-- Partial files of uploads on targets. The same user continues them at the same path of the same
-- account; the server removes them after some hours.
create table kept_upload (
  asset_id text not null,
  system_user_id text not null,
  account text not null,
  -- Path of the partial file on the target, in the target's charset.
  part bytea not null,
  -- Path of the file that the upload writes.
  place bytea not null,
  user_id text not null,
  -- Session that has the partial file open; null if none has.
  session uuid,
  -- Bytes from the start that an upload may continue after.
  bytes bigint not null,
  -- The file at `place` when the upload began; null if there was none.
  replaced_size bigint,
  replaced_at bigint,
  date_expired timestamptz not null,
  -- Failed attempts to remove the partial file.
  attempts integer not null default 0,
  date_tried timestamptz,
  primary key (asset_id, system_user_id, account, part)
);
create index kept_upload_user on kept_upload (user_id);
create index kept_upload_expired on kept_upload (date_expired);
