-- Restore drills: backups that were restored into a scratch database and verified. The newest are
-- kept.
create table restore_drill (
  id uuid primary key default gen_random_uuid(),
  date_started timestamptz not null default now(),
  -- Null while it runs. The next start ends drills that a crash cut off.
  date_finished timestamptz,
  folder text not null,
  date_backup timestamptz,
  -- Null while it runs; empty: passed. Otherwise the code of the problem.
  problem text,
  detail text not null default '',
  tables integer not null default 0,
  rows bigint not null default 0,
  recordings integer not null default 0,
  secrets integer not null default 0,
  started_by text not null default ''
);
create index restore_drill_started on restore_drill (date_started desc);
