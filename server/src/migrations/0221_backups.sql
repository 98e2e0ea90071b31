-- Backups that were made of this installation; the newest ones are kept. The command writes a row when its files are complete.
create table backup (
  id uuid primary key default gen_random_uuid(),
  date_started timestamptz not null,
  date_finished timestamptz not null default now(),
  folder text not null,
  -- Of all files in the folder.
  bytes bigint not null,
  -- Whether recordings were copied as well, and how many.
  has_recordings boolean not null,
  recordings integer not null,
  -- Whether the keys were written to a file of their own.
  has_keys boolean not null
);
create index backup_finished on backup (date_finished desc);

-- What waited in the queue when a backup was made is asked for again by the first start after it was put back: with its caller, and sealed as it was.
alter table job_request alter column input set default 'null', add column envelope jsonb;
