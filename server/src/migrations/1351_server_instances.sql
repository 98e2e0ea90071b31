-- Random token of the process that sends the heartbeats of the row. Null: a process of an earlier
-- version.
alter table server add column instance text;
