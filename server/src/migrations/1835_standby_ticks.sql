-- A row for each process that reads from a standby. The process writes its monotonic time;
-- a standby that shows a time has every transaction that was acknowledged before.
create table standby_tick (
  process uuid primary key,
  milliseconds bigint not null,
  date_started timestamptz not null default now()
);
